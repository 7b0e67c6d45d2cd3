package requisite_test

import (
	"regexp"
	"strings"
	"testing"

	"gateway.example/internal/requisite"
	"gateway.example/internal/testenv"
)

// The card numbers are the schemes' published test numbers; 79927398713 is the
// standard's own example of the sum.
func TestRecipient(t *testing.T) {
	t.Parallel()
	good := map[string][]string{
		"sbp": {"+79001234567", "+994501234567", "+12025550123"},
		"c2c": {
			"4111111111111111", "2200000000000004", "5555555555554444", "6304000000000000", "4222222222222",
			"40817810099910004312",
		},
	}
	bad := map[string][]string{
		"sbp": {
			"", "79001234567", "89001234567", "+7 900 123 45 67", "+7(900)1234567", "+7900", "+7900123456789012",
			"+79001234567 ", "phone", "4111111111111111", "+7900123456a", "tel:+79001234567", "+７9001234567",
		},
		"c2c": {
			"", "4111111111111112", "411111111111", "4111 1111 1111 1111", "4111-1111-1111-1111",
			"4081781009991000431a", "+79001234567", "408178100999100043120", "4081781009991000431", "４111111111111111",
			strings.Repeat("0", 12), strings.Repeat("9", 5000),
		},
	}
	for method, values := range good {
		for _, value := range values {
			testenv.Want(t, requisite.WrongRecipient(method, value), "", "%s %s", method, value)
		}
	}
	for method, values := range bad {
		for _, value := range values {
			testenv.Check(t, requisite.WrongRecipient(method, value) != "", "%s %.30s is taken", method, value)
		}
	}
}

// What is said of a recipient's requisite that is not taken. Its length tells
// an account, even one that is not all digits.
func TestWrongRecipientIsExplained(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ method, value, want string }{
		{"sbp", "4111111111111111", "must be a phone number in E.164 form, such as +79001234567"},
		{"c2c", "4081781009991000431a", "must be an account number of 20 digits"},
		{"sbp", "", "must be a phone number in E.164 form, such as +79001234567"},
		{"c2c", "", "must be a card number of 13 to 19 digits with a valid check digit, or an account number of 20 digits"},
		{"c2c", "4111111111111112", "must be a card number of 13 to 19 digits with a valid check digit, or an account number of 20 digits"},
		{"iban", "x", "cannot be paid to by this method"},
	} {
		testenv.Want(t, requisite.WrongRecipient(test.method, test.value), test.want, "%s %s", test.method, test.value)
	}
}

// Each type takes the values that are made up for it, and not those of others.
func TestTypes(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, kind := range requisite.Types {
		testenv.Check(t, !names[kind.Name], "%s comes twice", kind.Name)
		names[kind.Name] = true
		if got := requisite.Of(kind.Name); got.Name != kind.Name || got.Label != kind.Label {
			t.Errorf("%s is found as %s, %s", kind.Name, got.Name, got.Label)
		}
		seen := map[string]bool{}
		for n := range 1000 {
			value := kind.Sample(n)
			wrong := kind.Wrong(value)
			testenv.Check(t, wrong == "" && !seen[value], "%s %s: %s, or comes twice", kind.Name, value, wrong)
			seen[value] = true
			read := kind.Readable(value)
			testenv.Check(t, strings.NewReplacer(" ", "", "-", "").Replace(read) == value &&
				read != value, "%s %s is shown as %q", kind.Name, value, read)
		}
		for _, wrong := range []string{"", "x", "+7900", "4111111111111112", "MN120005000000000000"} {
			testenv.Check(t, strings.HasPrefix(kind.Wrong(wrong), "must be a"), "%s %q is taken", kind.Name, wrong)
		}
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ kind, value, want string }{
		{"sbp", "+79001234567", "+7 900 123-45-67"}, {"phone", "+994501234567", "+994 50 123 45 67"}, {"phone", "damaged", "damaged"},
		{"card", "4111111111111111", "4111 1111 1111 1111"}, {"card", "4222222222222", "4222 2222 2222 2"},
		{"iban", "MN121234123456789123", "MN12 1234 1234 5678 9123"}, {"of a later release", "12345", "1234 5"},
	} {
		testenv.Want(t, requisite.Of(test.kind).Readable(test.value), test.want, "%s %s is shown as", test.kind, test.value)
	}
	if later := requisite.Of(
		"of a later release",
	); later.Name != "of a later release" || later.Wrong("anything") != "" || later.Phone {
		t.Errorf("a type that is not known: %s, %q", later.Name, later.Wrong("anything"))
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"+79001234567": "•••• 4567", "4111111111111111": "•••• 1111", "40817810099910004312": "•••• 4312",
	} {
		testenv.Want(t, requisite.Mask(value), want, "%s is shown as", value)
	}
}

// Whatever is taken is of the form that was asked for, and its mask gives no
// more away than four digits.
func FuzzRecipient(f *testing.F) {
	for _, seed := range []string{"+79001234567", "4111111111111111", "40817810099910004312", "", "+", "٣", "\xff"} {
		f.Add("sbp", seed)
		f.Add("c2c", seed)
	}
	form := map[string]*regexp.Regexp{
		"sbp": regexp.MustCompile(`^\+[1-9][0-9]{4,16}$`),
		"c2c": regexp.MustCompile(`^[0-9]{13,20}$`),
	}
	f.Fuzz(func(t *testing.T, method, value string) {
		if form[method] == nil || requisite.WrongRecipient(method, value) != "" {
			return
		}
		testenv.Check(t, form[method].MatchString(value), "%s %q is taken", method, value)
		testenv.Want(t, requisite.Mask(value), "•••• "+value[len(value)-4:], "%q is shown as", value)
	})
}
