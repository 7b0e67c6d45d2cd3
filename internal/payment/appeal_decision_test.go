package payment_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// An operator's review holds the money again, their decision settles it or not, and the merchant is told of both.
func TestDecideAppeal(t *testing.T) {
	t.Parallel()
	for _, outcome := range []string{"completed", "failed"} {
		t.Run(outcome, func(t *testing.T) {
			b := setup(t)
			ctx := context.Background()
			p, merchant, trader := b.failed(t)
			opened := must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
			resolve := func() (payment.AppealRecord, error) {
				return b.payments.ResolveAppeal(ctx, operator, opened.ID,
					payment.Resolution{Outcome: outcome, Reason: new("seen")})
			}
			wantCode(t, errOf(resolve()), "appeal_not_in_review")
			b.clock.Advance(30 * time.Hour) // the merchant had 24 hours, the operator has not
			reviewed := must(b.payments.ReviewAppeal(ctx, operator, opened.ID))(t)
			if reviewed.Status != "in_review" || reviewed.Payment.Status != "appeal" ||
				!reviewed.StatusAt.Equal(at(30*60)) {
				t.Errorf("in review: %+v", reviewed)
			}
			b.wantMoney(t, trader.ID, merchant.CashboxID, positions["appeal"])
			wantCode(t, errOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)), "appeal_not_open")
			resolved := must(resolve())(t)
			if resolved.Status != outcome || string(resolved.Payment.Status) != outcome ||
				*resolved.Payment.StatusReason != "seen" {
				t.Errorf("resolved: %+v", resolved)
			}
			b.wantMoney(t, trader.ID, merchant.CashboxID, positions[outcome])
			wantCode(t, errOf(resolve()), "appeal_not_in_review")
			wantCode(t, errOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)), "appeal_not_open")
			b.wantEvents(t, p, 3) // failed, appeal, outcome
			var moves []string
			for _, c := range b.History(t, p.MerchantID, p.ID) {
				moves = append(moves, c.ToStatus+" by "+c.Actor)
			}
			want := []string{
				"pending by " + merchant.Caller.Actor(), "failed by application", "appeal by operator:7",
				outcome + " by operator:7",
			}
			if !slices.Equal(moves, want) {
				t.Errorf("history %v", moves)
			}
			b.Audit(t)
		})
	}
}

// Of many who decide at once, one does.
func TestDecideInParallel(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	p, merchant, trader := b.failed(t)
	opened := must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
	errs := testenv.AtOnce(10, func(int) error { return errOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)) })
	dbtest.WantOne(t, errs, "appeal_not_open")
	errs = testenv.AtOnce(10, func(int) error {
		return errOf(b.payments.ResolveAppeal(ctx, operator, opened.ID, payment.Resolution{Outcome: "completed"}))
	})
	dbtest.WantOne(t, errs, "appeal_not_in_review")
	b.wantEvents(t, p, 3)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
	b.Audit(t)
}

// An appeal goes where its payment goes, also on the application's word.
func TestAppealFollowsItsPayment(t *testing.T) {
	b := setup(t)
	ctx := context.Background()
	p, merchant, _ := b.failed(t)
	opened := must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
	// Only moves from failed or appeal, and into appeal, are about the appeal.
	for _, step := range []struct{ to, want string }{
		{"appeal", "in_review"}, {"completed", "completed"}, {"cancelled", "completed"}, {"failed", "completed"},
		{"pending", "closed"}, {"completed", "closed"}, {"appeal", "in_review"}, {"cancelled", "closed"}, {"appeal", "in_review"},
		{"failed", "failed"}, {"completed", "completed"},
	} {
		b.set(t, p.ID, step.to)
		list, _, err := b.payments.ListAppeals(ctx, operator, payment.Page{})
		if err != nil || len(list) != 1 || list[0].ID != opened.ID || list[0].Status != step.want ||
			string(list[0].Payment.Status) != step.to {
			t.Errorf("the payment is %s: %+v, %v; want %s", step.to, list, err, step.want)
		}
	}
	wantCode(t, errOf(b.payments.ReviewAppeal(ctx, operator, opened.ID)), "appeal_not_open")
	b.Audit(t)
}

func TestListAppeals(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	ctx := context.Background()
	var ids []int64
	for i := range 3 {
		p := b.create(t, merchant.Caller, request(fmt.Sprint("order-", i)))
		b.set(t, p.ID, "failed")
		ids = append(ids, must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t).ID)
	}
	must(b.payments.ReviewAppeal(ctx, operator, ids[1]))(t)
	page := func(status *string, limit int32, cursor *string) ([]int64, *string) {
		list, next, err := b.payments.ListAppeals(ctx, operator,
			payment.Page{Status: status, Page: db.Page{Limit: &limit, Cursor: cursor}})
		noError(t, err)
		var got []int64
		for _, a := range list {
			got = append(got, a.ID)
		}
		return got, next
	}
	first, next := page(nil, 2, nil)
	rest, last := page(nil, 2, next)
	if !slices.Equal(first, []int64{ids[2], ids[1]}) || !slices.Equal(rest, []int64{ids[0]}) || next == nil ||
		last != nil {
		t.Errorf("pages %v, %v", first, rest)
	}
	if open, _ := page(new("open"), 100, nil); !slices.Equal(open, []int64{ids[2], ids[0]}) {
		t.Errorf("open: %v", open)
	}
	_, _, err := b.payments.ListAppeals(ctx, operator, payment.Page{
		Status: new("pending"), Page: db.Page{Limit: new(int32(0)), Cursor: new("x")},
	})
	wantFields(t, err, "cursor", "limit", "status")
}

// What operators get wrong at the desk is named, and moves nothing.
func TestAppealDeskRefusals(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	p, merchant, _ := b.failed(t)
	opened := must(b.payments.OpenAppeal(ctx, merchant.Caller, p.ID, appeal(100)))(t)
	for _, id := range []int64{0, -1, opened.ID + 1} {
		wantCode(t, errOf(b.payments.ReviewAppeal(ctx, operator, id)), "not_found")
		wantCode(t, errOf(b.payments.ResolveAppeal(ctx, operator, id, payment.Resolution{Outcome: "x"})), "not_found")
		wantCode(t, errOf(b.payments.ReadAppealFile(ctx, operator, id)), "not_found")
	}
	must(b.payments.ReviewAppeal(ctx, operator, opened.ID))(t)
	for _, outcome := range []string{"", "pending", "cancelled", "appeal", "COMPLETED", "x"} {
		wrong := payment.Resolution{Outcome: outcome, Reason: new(text(256))}
		wantFields(t, errOf(b.payments.ResolveAppeal(ctx, operator, opened.ID, wrong)), "outcome", "reason")
	}
	b.wantEvents(t, p, 2)
}
