package desk

import "testing"

// A desk with more payouts than it shows says that there are more.
func TestDeskSaysThereIsMore(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 19: "19", 20: "20+"} {
		if got := Capped(n, 20); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
