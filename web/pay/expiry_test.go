package pay

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

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

// What goes into a bank's form is written as the payer's country writes it.
func TestTypedAmount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ amount, currency, want string }{
		{"12345.6", "TRY", "12345,60"},
		{"12345.60", "RUB", "12345,60"},
		{"0.05", "AZN", "0,05"},
		{"12345.6", "MNT", "12345.60"},
		{"1500", "UZS", "1500"},
		{"999999999999.99", "KZT", "999999999999,99"},
	} {
		p := payment.Payment{Amount: decimal.RequireFromString(test.amount), Currency: test.currency}
		testenv.Want(t, typedAmount(p), test.want, "%s %s is copied as", test.amount, test.currency)
	}
}
