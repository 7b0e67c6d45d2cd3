package payments_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/seal"
	"gateway.example/internal/testenv"
	"gateway.example/web/portal/portaltest"
)

// A merchant's user takes away what happened to a payment as a file that anybody can prove with the keys that are published.
func TestSignedTimeline(t *testing.T) {
	b := portaltest.Parallel(t)
	payment := b.Create(t, "1500")
	p := b.As(t, caller.Support)
	path := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	a := p.Get(t, path+"/timeline.json")
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment"),
		"%d %v", a.Code, a.Header)
	keys := testenv.Must(attest.ParseKeys([]byte(b.Nobody().Get(t, "/.well-known/gateway-keys.json").Body)))(t)
	want(t, "as it was sent", len(attest.Verify([]byte(a.Body), keys)), 0)
	wantIn(t, "the page", a.Body, `"callback_uri":"https://shop.example/hook"`, `"to":"pending"`,
		`"what":"rate_fixed"`, `"amount":"1500"`, payment.UUID.String())
	wantNot(t, "a merchant is told who the trader is", a.Body, "trader_id\":"+fmt.Sprint(b.Traders[0].ID))
	changed := strings.Replace(a.Body, `"amount":"1500"`, `"amount":"1501"`, 1)
	if wrong := attest.Verify([]byte(changed), keys); len(wrong) == 0 {
		t.Error("a changed amount is not found")
	}
	printed := p.Get(t, path+"/print")
	testenv.Check(t, printed.Code == http.StatusOK && strings.Contains(printed.Body, path+"/timeline.json") &&
		strings.Contains(printed.Text(), payment.UUID.String()), "%d: %s", printed.Code, printed.Text())
}

// A merchant's user takes away the proof of what a payment brought, once its day is sealed, and
// whoever has the file can prove it with what is published.
func TestLedgerProof(t *testing.T) {
	b := portaltest.Parallel(t)
	payment := b.Create(t, "1500")
	p := b.As(t, caller.Support)
	page := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	wantAnswer(t, "before anything was moved", p.Get(t, page+"/proof.json"), http.StatusConflict, "nothing to prove")
	if a := p.Get(t, page); strings.Contains(a.Body, "proof.json") {
		t.Error("a pending payment has a link to its proof")
	}
	testenv.Must(b.Payments.Confirm(t.Context(), b.Traders[0].Caller, payment.ID))(t)
	wantAnswer(t, "before the day was sealed", p.Get(t, page+"/proof.json"), http.StatusConflict, "will be sealed on")
	b.Clock.Advance(24 * time.Hour)
	noError(t, b.Rooms.Signer.Note(t.Context(), b.Clock.Now()))
	noError(t, seal.NewSealer(b.Pool, b.Clock, b.Rooms.Signer).Run(t.Context()))
	if a := p.Get(t, page); !strings.Contains(a.Body, page+"/proof.json") {
		t.Error("a completed payment has no link to its proof")
	}
	a := p.Get(t, page+"/proof.json")
	testenv.Need(t, a.Code == http.StatusOK && strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment"),
		"%d %v", a.Code, a.Header)
	proof := testenv.Must(seal.ParseProof([]byte(a.Body)))(t)
	nobody := b.Nobody()
	keys := testenv.Must(attest.ParseKeys([]byte(nobody.Get(t, "/.well-known/gateway-keys.json").Body)))(t)
	published := nobody.Get(t, "/.well-known/ledger-roots.json?month="+proof.Months()[0])
	want(t, "kept by caches", published.Header.Get("Cache-Control"), "public, max-age=300")
	v := proof.Verify(keys, testenv.Must(seal.ParseRoots([]byte(published.Body)))(t).Pages)
	testenv.Check(t, len(v.Wrong) == 0 && len(v.Proven) == 1, "%q", v)
	if a := nobody.Get(t, "/.well-known/ledger-roots.json?month=2026-99"); a.Code != http.StatusNotFound {
		t.Errorf("a month that there is not: %d", a.Code)
	}
}
