package web

import "testing"

// What browsers fill in and people type is read alike.
func TestSplitExpiry(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"09/28": {"09", "28"}, "9/28": {"9", "28"}, "09 / 28": {"09", "28"}, "09/2028": {"09", "2028"}, "09-28": {"09", "28"},
		"0928": {"09", "28"}, "092028": {"09", "2028"}, "2028-09": {"09", "2028"}, " 09.28 ": {"09", "28"},
		"": {}, "9": {}, "928": {}, "09/": {}, "09/2": {}, "09/202": {}, "aa/bb": {}, "09/28/1": {}, "２/28": {}, "-9/28": {"9", "28"},
	} {
		if month, year := splitExpiry(text); month != want[0] || year != want[1] {
			t.Errorf("%q: %q, %q", text, month, year)
		}
	}
}
