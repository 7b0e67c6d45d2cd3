package say

import (
	"testing"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// Whatever the services refuse is said in the reader's language.
func TestRefusalsAreSaid(t *testing.T) {
	known := map[string]bool{}
	for _, code := range fault.Codes {
		known[code.Name] = true
		testenv.Check(t, code.Kind != fault.Conflict && code.Kind != fault.Refused ||
			Refused(Russian, code.Name, "") != "", "%s is English in Russian: %s", code.Name, code.Meaning)
	}
	for code := range refusals {
		testenv.Check(t, known[code], "there is no code %s", code)
	}
}
