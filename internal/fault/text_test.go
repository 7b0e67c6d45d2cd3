package fault_test

import (
	"testing"

	"gateway.example/internal/fault"
)

func TestTextFlaw(t *testing.T) {
	t.Parallel()
	const control = "must not contain control characters"
	for text, want := range map[string]struct{ line, lines string }{
		"":                       {"", ""},
		"Оплачено, 12:00 €":      {"", ""},
		"e\u0301 👩‍👩‍👧 \u00a0":   {"", ""},
		"two\nlines":             {control, ""},
		"of\r\nWindows":          {control, ""},
		"a\ttable":               {control, ""},
		"bell\a":                 {control, control},
		"escape \x1b[31m":        {control, control},
		"delete\x7f":             {control, control},
		"next line\u0085":        {control, control},
		"nul\x00":                {`must not contain \u0000`, `must not contain \u0000`},
		"half a letter \xd0":     {"must be valid UTF-8", "must be valid UTF-8"},
		"surrogate \xed\xa0\x80": {"must be valid UTF-8", "must be valid UTF-8"},
	} {
		if got := fault.TextFlaw(text); got != want.line {
			t.Errorf("%q as a line: %q, want %q", text, got, want.line)
		}
		if got := fault.TextLinesFlaw(text); got != want.lines {
			t.Errorf("%q as lines: %q, want %q", text, got, want.lines)
		}
	}
}
