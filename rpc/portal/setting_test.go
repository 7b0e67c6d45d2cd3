package portal

import (
	"testing"

	"gateway.example/internal/testenv"
)

// Amounts keep every digit, which a float would not; counts and what is not there stay what they
// are.
func TestSettingKeepsDigits(t *testing.T) {
	t.Parallel()
	got := testenv.Must(Object([]byte(
		`{"max_amount": 123456789012345678.10, "margin_percent": 7.0100, "validity_seconds": 900, "min_amount": null}`)))(t)
	fields := got.GetFields()
	testenv.Want(t, fields["max_amount"].GetStringValue(), "123456789012345678.10", "max_amount")
	testenv.Want(t, fields["margin_percent"].GetStringValue(), "7.0100", "margin_percent")
	n := fields["validity_seconds"].GetNumberValue()
	testenv.Check(t, n == 900 && fields["min_amount"].AsInterface() == nil, "%v", got)
}
