package payment_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A merchant's users see the appeals of their merchant, and nothing of others:
// by state and cashbox, page by page, backwards as well.
func TestOwnAppeals(t *testing.T) {
	b := setup(t)
	one, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	second := b.NewCashbox(t, one.ID, "RUB", one.WebhookSecret)
	var appeals []payment.AppealRecord
	var payments []payment.Payment
	for n, by := range []dbtest.Merchant{other, one, one, one, other} {
		p := b.set(t, b.create(t, by.Caller, requestOf(fmt.Sprint("order-", n), fmt.Sprint(1000+n))).ID, "failed")
		if n == 2 {
			b.Exec(t, "update payment set cashbox_id = $1 where id = $2", second, p.ID)
		}
		payments = append(payments, p)
		appeals = append(appeals, testenv.Must(b.payments.OpenAppeal(t.Context(), by.Caller, p.ID, appeal(100)))(t))
	}
	testenv.Must(b.payments.ReviewAppeal(t.Context(), operator, appeals[3].ID))(t)

	listed := func(page payment.OwnAppeals) string {
		page.Limit = new(int32(1))
		var ids []string
		for {
			list, next := testenv.Must2(b.payments.ListOwnAppeals(t.Context(), portalOf(one.ID), page))(t)
			for _, a := range list {
				ids = append(ids, fmt.Sprint(a.ID-appeals[0].ID))
			}
			if page.Cursor = next; next == nil {
				return strings.Join(ids, " ")
			}
		}
	}
	testenv.Want(t, listed(payment.OwnAppeals{}), "3 2 1", "all")
	testenv.Want(t, listed(payment.OwnAppeals{Statuses: []string{"in_review"}}), "3", "in review")
	testenv.Want(t, listed(payment.OwnAppeals{CashboxID: &second}), "2", "of a cashbox")
	back := payment.OwnAppeals{Backward: true}
	back.Cursor = new(fmt.Sprint(appeals[0].ID))
	testenv.Want(t, listed(back), "1 2 3", "backwards, page by page")
	list, _ := testenv.Must2(b.payments.ListOwnAppeals(t.Context(), portalOf(one.ID), back))(t)
	testenv.Check(t, len(list) == 3 && list[0].ID == appeals[3].ID, "a page backwards has the newest first")

	for n, want := range []error{fault.ErrNotFound, nil, nil, nil, fault.ErrNotFound} {
		for what, err := range map[string]error{
			"GetAppeal":      testenv.ErrOf(b.payments.GetAppeal(t.Context(), portalOf(one.ID), appeals[n].ID)),
			"ReadAppealFile": testenv.ErrOf(b.payments.ReadAppealFile(t.Context(), portalOf(one.ID), appeals[n].ID)),
		} {
			testenv.Check(t, errors.Is(err, want), "%s of appeal %d: %v, want %v", what, n, err, want)
		}
		for who, own := range map[*caller.Caller]bool{new(portalOf(one.ID)): want == nil, &operator: true} {
			id := testenv.Must(b.payments.AppealOf(t.Context(), *who, payments[n].ID))(t)
			testenv.Check(t, id == appeals[n].ID == own && (own || id == 0), "%s finds appeal %d of payment %d", who.Kind, id, n)
		}
	}
}
