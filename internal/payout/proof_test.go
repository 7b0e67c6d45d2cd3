package payout_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

const pdf = "%PDF-1.4\n%proof\n"

func proofOf(content string) payout.Proof {
	return payout.Proof{
		Reference: new("tx-1"), FileName: "proof.hta", File: io.NewSectionReader(strings.NewReader(content), 0, int64(len(content))),
	}
}

// A payout is completed with a file that shows it, which its trader, its merchant and operators read, and nobody else.
// One of another type, and one that comes too late, leaves nothing. It is removed after the time to keep.
func TestProofFile(t *testing.T) {
	s := newScene(t)
	ctx := context.Background()
	s.take(t, s.taker, s.p)
	wantFields(t, errOf(s.payouts.Prove(ctx, s.taker.Caller, id(s.p), proofOf("<html>"))), "file")
	wantCode(t, errOf(s.payouts.Prove(ctx, s.second.Caller, id(s.p), proofOf(pdf))), "not_found")
	none, err := s.payouts.FindProof(ctx, operator, id(s.p))
	if none != nil || err != nil {
		t.Fatalf("%+v, %v", none, err)
	}
	wantCode(t, errOf2(s.payouts.ReadProof(ctx, operator, id(s.p))), "not_found")
	must(s.payouts.Prove(ctx, s.taker.Caller, id(s.p), proofOf(pdf)))(t)
	wantCode(t, errOf(s.payouts.Prove(ctx, s.taker.Caller, id(s.p), proofOf(pdf))), "payin_not_processing")
	testenv.Want(t, s.Text(t, "select status || ' ' || proof_reference from payin"), "completed tx-1", "the payout is")

	member := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Support, MerchantID: s.m.ID}
	for _, who := range []caller.Caller{s.taker.Caller, member, operator} {
		file, content, err := s.payouts.ReadProof(ctx, who, id(s.p))
		noError(t, err)
		found := must(s.payouts.FindProof(ctx, who, id(s.p)))(t)
		if file.Name != "proof.hta.pdf" || file.Type != "application/pdf" || string(content) != pdf || *found != file {
			t.Errorf("%s reads %+v, %q", who.Kind, file, content)
		}
	}
	testenv.Want(t, s.Text(t, "select string_agg(subject || ' ' || what, ',') from sensitive_read"), "payin file", "noted")
	other := s.NewMerchant(t, dbtest.MerchantOpts{})
	stranger := caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, MerchantID: other.ID}
	wantCode(t, errOf2(s.payouts.ReadProof(ctx, s.second.Caller, id(s.p))), "not_found")
	wantCode(t, errOf2(s.payouts.ReadProof(ctx, stranger, id(s.p))), "cashbox_access_denied")

	noError(t, s.payouts.PurgeProofs(ctx, time.Hour))
	testenv.Want(t, s.Count(t, "select count(*) from payin_proof_chunk"), 1, "while it is to be kept")
	s.clock.Advance(2 * time.Hour)
	noError(t, s.payouts.PurgeProofs(ctx, time.Hour))
	testenv.Want(t, s.Count(t, "select count(*) from payin_proof_chunk"), 0, "then")
	wantCode(t, errOf2(s.payouts.ReadProof(ctx, operator, id(s.p))), "file_purged")
}

func errOf2[A, B any](_ A, _ B, err error) error { return err }
