package report_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/report"
	"gateway.example/internal/testenv"
)

// A payer is known by their last payments with one merchant; another merchant's
// of the same name is somebody else. Of the 1000 RUB that they paid came
// 950.50, which was settled.
func TestPayer(t *testing.T) {
	b := setup(t)
	shop := merchantUser(b.Shop, caller.Support)
	p := b.Create(t, b.Shop, "order-1")
	b.Copies(t, p, 1_001, 1_003)
	b.Exec(t, "insert into payment select made.* from payment p, jsonb_populate_record(p, jsonb_build_object('id', 1004, 'merchant_id', $1::bigint, 'uuid', gen_random_uuid())) made where p.id = 1003", b.Other.ID)
	b.Exec(t, `update payment set payer_user_id = 'u-1',
		received_amount = case id when 1001 then 950.50 end, settled_amount = case id when 1001 then 950.50 end,
		status = case id when 1001 then 'completed' when 1002 then 'failed' else status end, status_reason = case id when 1002 then 'card_declined' end
		where id > 1000`)
	b.Exec(t, `insert into payment_card (merchant_id, payment_id, cashbox_id, brand, last4, created_at)
		select merchant_id, id, cashbox_id, 'visa', case id when 1003 then '1111' else '4242' end, created_at from payment where id in (1001, 1002, 1003)`)
	found := testenv.Must(b.reports.Payer(t.Context(), shop, b.Other.ID, "u-1"))(t)
	testenv.Check(t, found.Count == 3 && !found.More && len(found.Sums) == 1 && found.Sums[0].PaidAmount.Equal(decimal.RequireFromString("950.50")) &&
		found.Sums[0].Paid == 1 && found.Sums[0].Open == 1 && found.Sums[0].Ended() == 2 && !found.LastAt.Before(found.FirstAt), "%+v", found)
	testenv.Check(t, len(found.Cards) == 2 && found.Cards[0].Last4 == "1111" && found.Cards[1].Count == 2 && found.Cards[1].Paid == 1,
		"cards %+v", found.Cards)
	testenv.Check(t, len(found.Failures) == 1 && found.Failures[0].Reason == "card_declined" && found.Failures[0].Status == payment.Failed,
		"failures %+v", found.Failures)
	others := testenv.Must(b.reports.Payer(t.Context(), operator, b.Other.ID, "u-1"))(t)
	testenv.Want(t, others.Count, 1, "payments with the other merchant")
	for who, merchant := range map[*caller.Caller]int64{&operator: 1 << 40, &shop: b.Shop.ID} {
		_, err := b.reports.Payer(t.Context(), *who, merchant, "nobody")
		testenv.Check(t, dbtest.CodeOf(err) == "not_found", "a payer who never paid: %v", err)
	}
	_, err := b.reports.Payer(t.Context(), traderUser(b.SBP, caller.Owner), b.Shop.ID, "u-1")
	testenv.Check(t, dbtest.CodeOf(err) == "token_kind_not_allowed", "a trader: %v", err)
	plan := b.Explain(t, "select id from payment where payer_user_id = 'u-1' and merchant_id = 1 order by id desc limit 1001")
	testenv.Check(t, strings.Contains(plan, " payment_player_idx "), "%v", plan)
}

// Patterns are counted over the newest payments: who failed often and never
// paid, who stays just under a limit, and who confirmed sooner than anybody can
// have looked.
func TestPatterns(t *testing.T) {
	b := setup(t)
	b.Exec(t, "update cashbox_method set max_amount = 1000")
	b.Copies(t, b.Create(t, b.Shop, "order-1"), 1_001, 1_017)
	b.Exec(t, "update payment set amount = 100, status_at = created_at + interval '1 minute'")
	for ids, set := range map[string]string{
		"1001 and 1005": "payer_user_id = 'fails', status = 'failed'",
		"1006 and 1010": "payer_user_id = 'fails and pays', status = 'cancelled'",
		"1011 and 1011": "payer_user_id = 'fails and pays', status = 'completed'",
		"1012 and 1015": "payer_user_id = 'stays under', status = 'completed', amount = (array[980, 999, 1000, 979.99])[id - 1011]",
		"1016 and 1017": "status = 'completed', status_at = created_at + make_interval(secs => id - 1014)",
	} {
		b.Exec(t, "update payment set "+set+" where id between "+ids)
	}
	found := testenv.Must(b.reports.Patterns(t.Context(), operator))(t)
	testenv.Want(t, found.Count, 18, "looked at")
	for name, list := range map[string][]report.Pattern{
		"fails 5 1005": found.Failing, "stays under 3 1014": found.Near, " 1 1016": found.Fast,
	} {
		testenv.Check(t, len(list) == 1 && fmt.Sprint(list[0].User, " ", list[0].Count, " ", list[0].LastID) == name,
			"%+v, want %s", list, name)
	}
	testenv.Want(t, found.Fast[0].TraderID, b.SBP.ID, "who confirmed fast")
	_, err := b.reports.Patterns(t.Context(), merchantUser(b.Shop, caller.Support))
	testenv.Check(t, dbtest.CodeOf(err) == "token_kind_not_allowed", "a merchant: %v", err)
	if plan := b.Explain(t, "select id from payment order by id desc limit 5000"); !strings.Contains(plan, "payment_id_idx") {
		t.Error(plan)
	}
}
