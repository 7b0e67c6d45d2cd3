package developers

import (
	"testing"

	"gateway.example/internal/signature"
	"gateway.example/web/portal/say"
)

// Every mistake is said in both languages.
func TestDoctorSpeaks(t *testing.T) {
	t.Parallel()
	for _, m := range signature.Mistakes() {
		said := sayDiagnosis(string(m), m.Hint())
		if said.In(say.English) == "" || said.In(say.Russian) == "" {
			t.Errorf("%s: %q, %q", m, said.In(say.English), said.In(say.Russian))
		}
	}
}
