package acceptance

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gateway.example/internal/sandbox"
)

// hexOf is a signature in hexadecimal that was made with a key of any kind.
func hexOf(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// python writes JSON as Python does, with a space after each colon and comma.
var python = strings.NewReplacer(`":`, `": `, `,"`, `, "`)

// commonMistakes are wrong signatures of a body, each with a part of the hint that it deserves.
func commonMistakes(box sandbox.Cashbox, body, secret string) map[string][2]string {
	right := hexOf(secret, body)
	raw, _ := hex.DecodeString(right)
	old := hmac.New(sha1.New, []byte(secret))
	old.Write([]byte(body))
	webhookKey, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(box.WebhookSecret, "whsec_"))
	hash := sha256.Sum256([]byte(body))
	plain := sha256.Sum256([]byte(secret + body))
	return map[string][2]string{
		"base64":                   {base64.StdEncoding.EncodeToString(raw), "in Base64"},
		"a prefix":                 {"sha256=" + right, "something around it"},
		"SHA-1":                    {hex.EncodeToString(old.Sum(nil)), "length of SHA-1"},
		"cut":                      {right[:63], "is not hex"},
		"no HMAC":                  {hex.EncodeToString(plain[:]), "no HMAC"},
		"key and text swapped":     {hexOf(body, secret), "swapped"},
		"the webhook secret":       {hexOf(string(webhookKey), body), "webhook secret"},
		"the key id":               {hexOf(box.KeyID, body), "key id was used"},
		"no secret":                {hexOf("", body), "An empty text was used as the HMAC key"},
		"a secret with a newline":  {hexOf(secret+"\n", body), "The secret has white space"},
		"a body with a newline":    {hexOf(secret, body+"\n"), "A line break at the end"},
		"an empty body":            {hexOf(secret, ""), "An empty body was signed"},
		"another form of the JSON": {hexOf(secret, python.Replace(body)), "in another form"},
		"a hash of the body":       {hexOf(secret, hex.EncodeToString(hash[:])), "A hash of the body"},
		"the path and the body":    {hexOf(secret, "POST"+payments+body), "the path or the query was signed"},
		"JSON encoded once more": {
			hexOf(secret, `"`+strings.ReplaceAll(body, `"`, `\"`)+`"`),
			"encoded as JSON twice",
		},
		"another body":              {hexOf(secret, `{"orderId":"another"}`), "Something else than this body"},
		"a signature in upper case": {strings.ToUpper(hexOf(secret, body+"\n")), "A line break at the end"},
	}
}

// Whoever has the secret of their key is told what they signed wrongly, and never what would be right.
// Whoever has not is told the same for every mistake.
func TestSignatureHints(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	body := order(nil)
	hash := sha256.Sum256([]byte(body))
	for name, c := range commonMistakes(box, body, box.Secret) {
		got := send(t, "POST", g.BaseURL+payments, body, with(signed(box, body), "Signature", c[0]))
		details, _ := got.at("details").(map[string]any)
		hint, _ := details["hint"].(string)
		if got.status != 403 || got.text("code") != "invalid_signature" || !strings.Contains(hint, c[1]) ||
			!strings.HasSuffix(got.text("message"), hint) {
			t.Errorf("%s: %s; want a hint with %q", name, got, c[1])
		}
		if fmt.Sprint(details["receivedBytes"]) != strconv.Itoa(len(body)) ||
			details["bodySha256"] != hex.EncodeToString(hash[:]) ||
			details["expected"] != "64 hex characters" {
			t.Errorf("%s: details %v", name, details)
		}
		if strings.Contains(got.raw, hexOf(box.Secret, body)) {
			t.Errorf("%s: the answer has the right signature", name)
		}
	}
	guess := signed(box, body)
	guess["X-Merchant-Secret"] = "sk_guess"
	for name, c := range commonMistakes(box, body, "sk_guess") {
		got := send(t, "POST", g.BaseURL+payments, body, with(guess, "Signature", c[0]))
		if got.status != 403 || got.text("message") != "The key, secret or signature is wrong." ||
			got.at("details") != nil {
			t.Errorf("%s, without the secret: %s", name, got)
		}
	}
}
