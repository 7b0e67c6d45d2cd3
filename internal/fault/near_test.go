package fault

import (
	"testing"

	"gateway.example/internal/testenv"
)

func TestOneOf(t *testing.T) {
	t.Parallel()
	known := []string{"sbp", "sim", "quasi_ecom"}
	for value, meant := range map[string]string{
		"SBP": "sbp", "sbpp": "sbp", "quasiEcom": "quasi_ecom", "quasi-ekom": "quasi_ecom", "spb": "", "": "", "cash": "", "ж": "",
	} {
		want := "must be one of sbp, sim, quasi_ecom"
		if meant != "" {
			want += "; did you mean " + meant + "?"
		}
		testenv.Want(t, OneOf(value, known), want, "%q", value)
	}
}
