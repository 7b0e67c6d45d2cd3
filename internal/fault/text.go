package fault

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextFlaw says why a text of one line cannot be kept and shown, worded to follow the name of its
// field, or "" where it can: it must be valid UTF-8 without NUL and other control characters. Every
// text that comes from outside passes this or TextLinesFlaw.
func TextFlaw(text string) string { return textFlaw(text, unicode.IsControl) }

// TextLinesFlaw is TextFlaw for a text that may have several lines: it may hold line breaks and
// tabs.
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

// NameFlaw is TextFlaw for what something is known by, such as an order's id or a file's name: it must not hold
// what nobody sees either. Of two that look alike a person would take one for the other, and a name that turns
// its own order around ends otherwise than it seems to.
func NameFlaw(text string) string {
	if flaw := TextFlaw(text); flaw != "" {
		return flaw
	}
	if strings.ContainsFunc(text, invisible) {
		return "must not contain invisible characters or such that change the direction of writing"
	}
	return ""
}

// IsName reports whether a field, as proto, JSON or a form spell it, holds what something is known by.
func IsName(field string) bool {
	switch field {
	case "id", "login", "reference", "file_name", "fileName":
		return true
	}
	return slices.ContainsFunc([]string{"_id", "Id", "_key", "Key", "_reference", "Reference"}, func(end string) bool {
		return strings.HasSuffix(field, end)
	})
}

// invisible reports whether a character has no width, or changes the direction of those around it.
func invisible(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x180e, 0x200b, 0x200c, 0x200d, 0xfeff:
		return true
	}
	return unicode.Is(unicode.Bidi_Control, r) || r >= 0x2060 && r <= 0x2064 || r >= 0xe0000 && r <= 0xe007f
}
