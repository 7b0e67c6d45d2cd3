package requisite_test

import (
	"regexp"
	"strings"
	"testing"

	"gateway/internal/requisite"
)

// The card numbers are the schemes' published test numbers; 79927398713 is the standard's own example of the sum.
func TestRecipient(t *testing.T) {
	t.Parallel()
	good := map[string][]string{
		"sbp": {"+79001234567", "+994501234567", "+12025550123"},
		"c2c": {"4111111111111111", "2200000000000004", "5555555555554444", "6304000000000000", "4222222222222", "40817810099910004312"},
	}
	bad := map[string][]string{
		"sbp": {
			"", "79001234567", "89001234567", "+7 900 123 45 67", "+7(900)1234567", "+7900", "+7900123456789012", "+79001234567 ", "phone",
			"4111111111111111", "+7900123456a", "tel:+79001234567", "+７9001234567",
		},
		"c2c": {
			"", "4111111111111112", "411111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4081781009991000431a", "+79001234567",
			"408178100999100043120", "4081781009991000431", "４111111111111111", strings.Repeat("0", 12), strings.Repeat("9", 5000),
		},
	}
	for method, values := range good {
		for _, value := range values {
			if wrong := requisite.WrongRecipient(method, value); wrong != "" {
				t.Errorf("%s %s: %s", method, value, wrong)
			}
		}
	}
	for method, values := range bad {
		for _, value := range values {
			if requisite.WrongRecipient(method, value) == "" {
				t.Errorf("%s %.30s is taken", method, value)
			}
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"+79001234567": "•••• 4567", "4111111111111111": "•••• 1111", "40817810099910004312": "•••• 4312",
	} {
		if got := requisite.Mask(value); got != want {
			t.Errorf("%s is shown as %s, want %s", value, got, want)
		}
	}
}

// Whatever is taken is of the form that was asked for, and its mask gives no more away than four digits.
func FuzzRecipient(f *testing.F) {
	for _, seed := range []string{"+79001234567", "4111111111111111", "40817810099910004312", "", "+", "٣", "\xff"} {
		f.Add("sbp", seed)
		f.Add("c2c", seed)
	}
	form := map[string]*regexp.Regexp{"sbp": regexp.MustCompile(`^\+[1-9][0-9]{4,16}$`), "c2c": regexp.MustCompile(`^[0-9]{13,20}$`)}
	f.Fuzz(func(t *testing.T, method, value string) {
		if form[method] == nil || requisite.WrongRecipient(method, value) != "" {
			return
		}
		if !form[method].MatchString(value) {
			t.Errorf("%s %q is taken", method, value)
		}
		if mask := requisite.Mask(value); mask != "•••• "+value[len(value)-4:] {
			t.Errorf("%q is shown as %s", value, mask)
		}
	})
}
