package portal_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/caller"
	"gateway.example/internal/seal"
)

// A merchant's user takes away the proof of what a payment brought, once its day is sealed, and
// whoever has the file can prove it with what is published.
func TestLedgerProof(t *testing.T) {
	t.Parallel()
	b := setup(t, options{})
	payment := b.create(t, "1500")
	p := b.as(t, caller.Support)
	page := fmt.Sprintf("/merchant/payments/%d", payment.ID)
	wantAnswer(t, "before anything was moved", p.get(t, page+"/proof.json"), http.StatusConflict,
		"nothing to prove")
	if a := p.get(t, page); strings.Contains(a.body, "proof.json") {
		t.Error("a pending payment has a link to its proof")
	}
	_, err := b.payments.Confirm(t.Context(), b.traders[0].Caller, payment.ID)
	noError(t, err)
	wantAnswer(t, "before the day was sealed", p.get(t, page+"/proof.json"), http.StatusConflict,
		"will be sealed on")
	b.clock.Advance(24 * time.Hour)
	noError(t, b.rooms.Signer.Note(t.Context(), b.clock.Now()))
	noError(t, seal.NewSealer(b.Pool, b.clock, b.rooms.Signer).Run(t.Context()))
	if a := p.get(t, page); !strings.Contains(a.body, page+"/proof.json") {
		t.Error("a completed payment has no link to its proof")
	}
	a := p.get(t, page+"/proof.json")
	if a.code != http.StatusOK || !strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d %v", a.code, a.header)
	}
	proof, err := seal.ParseProof([]byte(a.body))
	noError(t, err)
	nobody := b.nobody()
	keys, err := attest.ParseKeys([]byte(nobody.get(t, "/.well-known/gateway-keys.json").body))
	noError(t, err)
	published := nobody.get(t, "/.well-known/ledger-roots.json?month="+proof.Months()[0])
	want(t, "kept by caches", published.header.Get("Cache-Control"), "public, max-age=300")
	roots, err := seal.ParseRoots([]byte(published.body))
	noError(t, err)
	if v := proof.Verify(keys, roots.Pages); len(v.Wrong) != 0 || len(v.Proven) != 1 {
		t.Errorf("%q", v)
	}
	if a := nobody.get(t, "/.well-known/ledger-roots.json?month=2026-99"); a.code != http.StatusNotFound {
		t.Errorf("a month that there is not: %d", a.code)
	}
}
