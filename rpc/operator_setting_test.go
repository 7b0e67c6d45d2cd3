package rpc

import "testing"

// Amounts keep every digit, which a float would not; counts and what is not there stay what they
// are.
func TestSettingKeepsDigits(t *testing.T) {
	t.Parallel()
	got, err := object(
		[]byte(
			`{"max_amount": 123456789012345678.10, "margin_percent": 7.0100, "validity_seconds": 900, "min_amount": null}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	fields := got.GetFields()
	if text := fields["max_amount"].GetStringValue(); text != "123456789012345678.10" {
		t.Errorf("max_amount %q", text)
	}
	if text := fields["margin_percent"].GetStringValue(); text != "7.0100" {
		t.Errorf("margin_percent %q", text)
	}
	if n := fields["validity_seconds"].GetNumberValue(); n != 900 || fields["min_amount"].AsInterface() != nil {
		t.Errorf("%v", got)
	}
}
