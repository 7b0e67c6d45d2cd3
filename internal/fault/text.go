package fault

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextFlaw says why a text of one line cannot be stored and shown, in words
// that follow the name of its field, or "": it must be valid UTF-8 without
// control characters. Every text from outside has to pass this or
// TextLinesFlaw.
func TextFlaw(text string) string { return textFlaw(text, unicode.IsControl) }

// TextLinesFlaw is TextFlaw for a text of several lines: it may have line
// breaks and tabs.
func TextLinesFlaw(text string) string {
	return textFlaw(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' })
}

func textFlaw(text string, forbidden func(rune) bool) string {
	switch {
	case !utf8.ValidString(text):
		return "must be valid UTF-8"
	case strings.IndexByte(text, 0) >= 0:
		return `must not contain \u0000`
	case strings.ContainsFunc(text, forbidden):
		return "must not contain control characters"
	}
	return ""
}

// NameFlaw is TextFlaw for the name or id of something, such as an order's id
// or a file's name. It also refuses invisible characters: people would confuse
// two names that look the same, and a name that reverses its own direction ends
// otherwise than it seems to.
func NameFlaw(text string) string {
	if flaw := TextFlaw(text); flaw != "" {
		return flaw
	}
	if strings.ContainsFunc(text, invisible) {
		return "must not contain invisible characters or such that change the direction of writing"
	}
	return ""
}

// IsName reports whether a field, in the spelling of proto, JSON or a form,
// holds a name or id.
func IsName(field string) bool {
	switch field {
	case "id", "login", "reference", "file_name", "fileName":
		return true
	}
	return slices.ContainsFunc([]string{"_id", "Id", "_key", "Key", "_reference", "Reference"}, func(end string) bool {
		return strings.HasSuffix(field, end)
	})
}

// invisible reports whether a character has no width or changes the direction
// of others.
func invisible(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x180e, 0x200b, 0x200c, 0x200d, 0xfeff:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r) || r >= 0x2060 && r <= 0x2064 || r >= 0xe0000 && r <= 0xe007f
}
