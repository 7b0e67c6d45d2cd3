package acceptance

import (
	"strings"
	"testing"
)

// What sign prints, sent with the body, is let in: by a sandbox's own key, and by one that is given. What else the
// commands say, the scripts of cmd/gateway say.
func TestSign(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, variables := range map[string]map[string]string{
		"lent":  {"GATEWAY_DATA_DIR": g.dir},
		"given": {"GATEWAY_MERCHANT_SECRET": g.first().Secret},
	} {
		body := order(nil)
		out, _, err := command(t, body, variables, "sign", "-key-id", g.first().KeyID)
		noError(t, err)
		headers := header{}
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			headers[name] = value
		}
		if got := send(t, "POST", g.BaseURL+payments, body, headers); got.status != 200 || len(headers) != 3 {
			t.Errorf("%s: %d headers: %s", name, len(headers), got)
		}
	}
}
