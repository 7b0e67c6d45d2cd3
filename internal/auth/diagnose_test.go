package auth_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
)

// A signature is told in what it is wrong to who has the secret, and to nobody else.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewMerchantKeys(d.Pool)
	who := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Developer, MerchantID: m.ID}
	body := "{\"a\":1,\r\n\"b\":2}"
	right := signature(m.Secret, body)
	raw, err := hex.DecodeString(right)
	noError(t, err)
	for name, c := range map[string]struct {
		secret, signature string
		want              auth.Diagnosis
	}{
		"right":        {m.Secret, right, auth.DiagnosedRight},
		"wrong secret": {other.Secret, signature(other.Secret, body), auth.DiagnosedKey},
		"base64":       {m.Secret, base64.StdEncoding.EncodeToString(raw), auth.DiagnosedBase64},
		"prefix":       {m.Secret, "sha256=" + right, auth.DiagnosedPrefix},
		"sha1":         {m.Secret, strings.Repeat("ab", 20), auth.DiagnosedSHA1},
		"no hex":       {m.Secret, "signature", auth.DiagnosedNotHex},
		"line break":   {m.Secret, signature(m.Secret, body+"\n"), auth.DiagnosedLineBreak},
		"line endings": {m.Secret, signature(m.Secret, "{\"a\":1,\n\"b\":2}"), auth.DiagnosedLineEndings},
		"no body":      {m.Secret, signature(m.Secret, ""), auth.DiagnosedNoBody},
		"another body": {m.Secret, signature(m.Secret, "{}"), auth.DiagnosedOther},
	} {
		sample := auth.Sample{KeyID: m.KeyID, Secret: c.secret, Signature: c.signature, Body: []byte(body)}
		if found, err := keys.Diagnose(t.Context(), who, sample); err != nil || found != c.want {
			t.Errorf("%s: %q, %v; want %q", name, found, err, c.want)
		}
	}
	theirs := auth.Sample{KeyID: other.KeyID, Secret: other.Secret, Signature: right, Body: []byte(body)}
	if found, err := keys.Diagnose(t.Context(), who, theirs); err != nil || found != auth.DiagnosedKey {
		t.Errorf("another's key: %q, %v", found, err)
	}
	if _, err := keys.Diagnose(t.Context(), caller.Caller{
		Kind: caller.MerchantPortal, Role: caller.Support, MerchantID: m.ID,
	}, theirs); err == nil {
		t.Error("support is let in")
	}
}
