package auth_test

import (
	"net/http"
	"testing"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	doctor "gateway.example/internal/signature"
)

// A request is looked at for whoever has the secret, and for nobody else.
func TestDiagnose(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m, other := d.NewMerchant(t, dbtest.MerchantOpts{}), d.NewMerchant(t, dbtest.MerchantOpts{})
	gone := d.NewMerchant(t, dbtest.MerchantOpts{})
	_, err := d.Pool.Exec(t.Context(), "update api_key set revoked_at = now() where key_id = $1", gone.KeyID)
	noError(t, err)
	keys := auth.NewMerchantKeys(d.Pool, dbtest.Vault(), auth.DefaultHeaders())
	developer := func(id int64) caller.Caller {
		return caller.Caller{Kind: caller.MerchantPortal, Role: caller.Developer, MerchantID: id}
	}
	body := `{"a":1}`
	for name, c := range map[string]struct {
		who    caller.Caller
		header http.Header
		want   doctor.Mistake
	}{
		"right":                {developer(m.ID), headers(m, body), doctor.Right},
		"line break":           {developer(m.ID), headers(m, body+"\n"), doctor.LineBreak},
		"wrong secret":         {developer(m.ID), with(headers(m, body), "X-Merchant-Secret", other.Secret), doctor.Unproven},
		"another's, all right": {developer(m.ID), headers(other, body), doctor.Unproven},
		"revoked":              {developer(gone.ID), headers(gone, body), doctor.KeyRevoked},
		"revoked, another's":   {developer(m.ID), headers(gone, body), doctor.Unproven},
		"no signature":         {developer(m.ID), with(headers(m, body), "Signature", ""), doctor.HeaderMissing},
	} {
		read, found, err := keys.Diagnose(t.Context(), c.who, auth.Sample{Header: c.header, Body: []byte(body)})
		if err != nil || found.Mistake != c.want {
			t.Errorf("%s: %+v, %v; want %s", name, found, err, c.want)
		}
		if read.Header.Get("X-Merchant-Secret") != "" {
			t.Errorf("%s: the secret comes back", name)
		}
	}
	// What is given apart replaces what is in the text, and the secret is taken from wherever it is.
	apart := auth.Sample{
		Request: "POST /a\nX-Merchant-Key-Id: " + m.KeyID + "\nX-Api-Key: " + m.Secret + "\nSignature: 00\n\n{}",
		Header:  http.Header{"Signature": {signature(m.Secret, body)}}, Body: []byte(body), Secret: m.Secret,
	}
	read, found, err := keys.Diagnose(t.Context(), developer(m.ID), apart)
	if err != nil || found.Mistake != doctor.Right || read.Path != "/a" || read.Header.Get("X-Api-Key") != "" {
		t.Errorf("given apart: %+v, %+v, %v", found, read, err)
	}
	_, _, err = keys.Diagnose(t.Context(), developer(m.ID), auth.Sample{Request: "?"})
	refused(t, err, fault.Invalid, "validation_failed")
	support := developer(m.ID)
	support.Role = caller.Support
	_, _, err = keys.Diagnose(t.Context(), support, apart)
	refused(t, err, fault.Forbidden, "role_not_allowed")
	_, _, err = keys.Diagnose(t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner}, apart)
	refused(t, err, fault.Forbidden, "token_kind_not_allowed")
}
