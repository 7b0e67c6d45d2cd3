package auth_test

import (
	"context"
	"net/http"
	"reflect"
	"testing"

	"gateway/internal/auth"
	"gateway/internal/dbtest"
	"gateway/internal/fault"
)

// The canonical text, letter by letter as documented.
func TestAppealText(t *testing.T) {
	t.Parallel()
	if got := auth.AppealText("why\nso", "a b.pdf", 1234); got != "appeal-v1\nwhy\nso\na b.pdf\n1234" {
		t.Errorf("%q", got)
	}
}

func upload(reason, fileName string, file []byte) auth.Upload {
	return auth.Upload{Reason: &reason, FileName: &fileName, File: file}
}

// An upload's caller is nobody until the handler has checked what the signature covers.
func TestProveUpload(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewKeys(d.Pool, auth.DefaultHeaders(), "")
	good := upload("x", "a.pdf", []byte("four"))
	proof, err := keys.Begin(t.Context(), headers(m, "appeal-v1\nx\na.pdf\n4"))
	noError(t, err)
	ctx := auth.WithProof(t.Context(), proof)
	if got := auth.CallerFrom(ctx); got.Kind != auth.Anyone {
		t.Errorf("unproved, the caller is %s", got.Kind)
	}
	caller, err := auth.ProveUpload(ctx, good)
	if noError(t, err); !reflect.DeepEqual(caller, m.Caller) {
		t.Errorf("proved to be %+v", caller)
	}
	for name, wrong := range map[string]auth.Upload{
		"reason": upload("y", "a.pdf", []byte("four")), "name": upload("x", "b.pdf", []byte("four")), "size": upload("x", "a.pdf", []byte("three")),
		"empty":   upload("", "", []byte{}),
		"shifted": upload("x\na.pdf", "4", nil),
	} {
		if wrong.File == nil {
			wrong.File = []byte{}
		}
		caller, err := auth.ProveUpload(ctx, wrong)
		refused(t, err, fault.Forbidden, "invalid_signature")
		if !reflect.DeepEqual(caller, auth.Caller{}) {
			t.Errorf("%s: let in as %+v", name, caller)
		}
	}
	// Without one of the parts there is no text to sign; the room refuses such an upload.
	for name, part := range map[string]auth.Upload{
		"nothing": {}, "no reason": {FileName: good.FileName, File: good.File}, "no file": {Reason: good.Reason, FileName: good.FileName},
		"no name": {Reason: good.Reason, File: good.File},
	} {
		if caller, err := auth.ProveUpload(ctx, part); err != nil || caller.ID != m.Caller.ID {
			t.Errorf("%s: %+v, %v", name, caller, err)
		}
	}
	// Nothing was proved at the door: nothing is proved here.
	if caller, err := auth.ProveUpload(context.Background(), good); err != nil || caller.Kind != auth.Anyone {
		t.Errorf("%+v, %v", caller, err)
	}
}

// Key and secret are enough to begin, and nothing less is.
func TestBegin(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	m := d.NewMerchant(t, dbtest.MerchantOpts{})
	keys := auth.NewKeys(d.Pool, auth.DefaultHeaders(), "")
	good := headers(m, "whatever")
	proof, err := keys.Begin(t.Context(), good)
	if noError(t, err); proof.Key() != m.Caller.ID {
		t.Errorf("key %d", proof.Key())
	}
	for name, test := range map[string]struct {
		header http.Header
		kind   fault.Kind
		code   string
	}{
		"no signature": {with(good, "Signature", ""), fault.Unauthenticated, "signature_required"},
		"no key id":    {with(good, "X-Merchant-Key-Id", ""), fault.Forbidden, "merchant_key_id_required"},
		"no secret":    {with(good, "X-Merchant-Secret", ""), fault.Forbidden, "merchant_secret_required"},
		"wrong secret": {with(good, "X-Merchant-Secret", "x"), fault.Forbidden, "invalid_signature"},
		"unknown key":  {with(good, "X-Merchant-Key-Id", "x"), fault.Forbidden, "invalid_signature"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := keys.Begin(t.Context(), test.header)
			refused(t, err, test.kind, test.code)
			// Nor is the body of any other request read for it.
			_, err = keys.Merchant(t.Context(), test.header, unread(t))
			refused(t, err, test.kind, test.code)
		})
	}
	for name, signs := range map[string]bool{"Signature": true, "X-Merchant-Key-Id": true, "X-Merchant-Secret": true, "Authorization": false} {
		if got := keys.Signed(http.Header{name: {"x"}}); got != signs {
			t.Errorf("%s alone signs: %t", name, got)
		}
	}
}
