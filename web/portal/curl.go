package portal

import (
	"strings"

	"gateway.example/internal/caller"
)

// Curl is a command for a shell that reads something through the merchant API, for who works with it;
// "" is for nobody else. Key and secret are the reader's to fill in: none of theirs is known here.
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

// quoted is a text as a shell takes it for one word that means nothing else, whatever is in it.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
