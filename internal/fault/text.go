package fault

import (
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
