package portal

import (
	"strings"

	"gateway.example/internal/caller"
)

// Curl is a shell command that reads something through the merchant API, for
// users who work with it; "" for others. The reader has to fill in key and
// secret, because the portal does not know theirs.
func (v *Visit) Curl(path string) string {
	if v.Who.Kind != caller.MerchantPortal || !v.May(caller.MerchantEvents) {
		return ""
	}
	// A request without a body signs the empty text.
	const signature = `$(printf '' | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)`
	return strings.Join([]string{
		"KEY_ID='YOUR_KEY_ID'",
		"SECRET='YOUR_SECRET'",
		"curl -sS " + quoted(v.server.APIURL+path) + ` \`,
		"  -H " + quoted(v.server.Headers.KeyID) + `": $KEY_ID" \`,
		"  -H " + quoted(v.server.Headers.Secret) + `": $SECRET" \`,
		"  -H " + quoted(v.server.Headers.Signature) + `": ` + signature + `"`,
	}, "\n")
}

// quoted quotes a text for a shell, so that it is one word without special
// meaning.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
