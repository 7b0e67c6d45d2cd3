package payout_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/payout"
	"gateway.example/internal/testenv"
)

// A list by a status that few payouts are in reads those, and not all the
// others, however often it is asked for.
func TestListByStatusReadsOnlyThose(t *testing.T) {
	s := newScene(t)
	pool := s.Open(t, 1, db.ForCommands)
	for _, sql := range []string{
		`insert into payin select made.* from payin p, generate_series(1000, 6000) n, jsonb_populate_record(p, jsonb_build_object(
			'id', n, 'uuid', gen_random_uuid(), 'status', 'failed', 'trader_id', ` + strconv.FormatInt(s.taker.ID, 10) + `, 'taken_at', p.created_at,
			'trader_share_percent', 1, 'trader_usdt', p.frozen_usdt, 'platform_usdt', 0)) made`,
		"analyze payin",
	} {
		testenv.Must(pool.Exec(t.Context(), sql))(t)
	}
	payouts := payout.New(db.OnePool(pool), s.clock, nil, nil, foureyes.Rules{})
	before := dbtest.RowsRead(t, pool, "payin")
	for range 10 { // more often than a plan is made anew for each call
		for status, want := range map[string]int{"waiting": 1, "processing": 0} {
			page := payout.Page{Status: &status}
			own, _ := testenv.Must2(payouts.ListOwn(t.Context(), s.m.Caller, payout.Query{Page: page}))(t)
			offered, _ := testenv.Must2(payouts.ListForTrader(t.Context(), s.taker.Caller, page))(t)
			testenv.Check(t, len(own) == want && len(offered) == want,
				"%s: the merchant's %d, the trader's %d", status, len(own), len(offered))
		}
	}
	rows := dbtest.RowsRead(t, pool, "payin") - before
	testenv.Check(t, rows <= 200, "read %d rows for the same one, ten times", rows)
}

// A merchant lists its payouts, the newest first, by any of the filters and
// page by page.
func TestListOwn(t *testing.T) {
	b, merchant := withMerchant(t, "1000")
	other := b.merchant(t, "1000", dbtest.MerchantOpts{})
	taker := b.trader(t, "sbp", "c2c")
	var made []payout.Payout // at minute 0, 1 and 2
	for i := range 3 {
		made = append([]payout.Payout{b.create(t, merchant.Caller, request("order-"+strconv.Itoa(i)))}, made...)
		b.create(t, other.Caller, request("order-"+strconv.Itoa(i)))
		b.clock.Advance(time.Minute)
	}
	b.take(t, taker, made[1])
	status := func(name string) payout.Page { return payout.Page{Status: &name} }
	minute := func(n int) *time.Time { return new(dbtest.Start.Add(time.Duration(n) * time.Minute)) }
	ids := func(list []payout.Payout) (all []int64) {
		for _, p := range list {
			all = append(all, p.ID)
		}
		return all
	}
	for name, test := range map[string]struct {
		query payout.Query
		want  []payout.Payout
	}{
		"all":              {payout.Query{}, made},
		"processing":       {payout.Query{Page: status("processing")}, made[1:2]},
		"expired":          {payout.Query{Page: status("expired")}, nil},
		"minute 1":         {payout.Query{Span: db.Span{From: minute(1), To: minute(2)}}, made[1:2]},
		"since 1":          {payout.Query{Span: db.Span{From: minute(1)}}, made[:2]},
		"order":            {payout.Query{OrderID: new(" order-2")}, made[:1]},
		"no such order":    {payout.Query{OrderID: new("order-3")}, nil},
		"order and status": {payout.Query{OrderID: new("order-2"), Page: status("failed")}, nil},
	} {
		list, cursor := testenv.Must2(b.payouts.ListOwn(t.Context(), merchant.Caller, test.query))(t)
		testenv.Check(t, slices.Equal(ids(list), ids(test.want)) && cursor == nil,
			"%s: %v, want %v", name, ids(list), ids(test.want))
	}
	turned := func(query payout.Query, limit int32, want []payout.Payout) {
		t.Helper()
		query.Limit = &limit
		first, cursor := testenv.Must2(b.payouts.ListOwn(t.Context(), merchant.Caller, query))(t)
		query.Cursor = cursor
		rest, cursor := testenv.Must2(b.payouts.ListOwn(t.Context(), merchant.Caller, query))(t)
		testenv.WantAll(t, append(ids(first), ids(rest)...), ids(want), "turned")
		testenv.Check(t, len(first) == int(limit) && cursor == nil, "a page of %d, then %v", len(first), cursor)
	}
	turned(payout.Query{}, 2, made)
	twin := request("order-2")
	twin.Method, twin.Address = "c2c", "4111111111111111"
	turned(payout.Query{OrderID: new("order-2")}, 1, []payout.Payout{b.create(t, merchant.Caller, twin), made[0]})
}

// A merchant's list costs a page: by an order id and by times long ago as well.
func TestListOwnPlans(t *testing.T) {
	b, merchant := withMerchant(t, "1000")
	p := b.create(t, merchant.Caller, request("order-1"))
	b.Exec(t, `insert into payin select made.* from payin p, generate_series(10000, 40000) n,
		jsonb_populate_record(p, jsonb_build_object('id', n, 'merchant_id', p.merchant_id + n % 200,
			'uuid', gen_random_uuid(), 'order_id', 'order-' || n, 'created_at', p.created_at + n * interval '1 minute', 'status', 'cancelled')) made where p.id = $1`, p.ID)
	b.Exec(t, `insert into payin_key (merchant_id, channel, order_id, payin_id)
		select merchant_id, 'sbp', order_id, id from payin where id >= 10000`)
	b.Exec(t, `insert into day_first_id (subject, day, first_id)
		select 'payin', $1::date + n, 10000 + 1440 * n from generate_series(0, 20) n`, dbtest.Start)
	b.Exec(t, "analyze payin, payin_key, day_first_id")
	query := db.PayoutListByMerchantParams{MerchantID: merchant.ID, BelowID: 1 << 62, Page: 51}
	seldom := query
	seldom.Status = new("failed")
	span := db.Span{From: new(dbtest.Start.AddDate(0, 0, 9)), To: new(dbtest.Start.AddDate(0, 0, 10))}
	b.WantPlan(t, "all", func(q *db.Queries) error { return testenv.ErrOf(q.PayoutListByMerchant(t.Context(), query)) },
		"Index Cond: ((merchant_id = ", "payin_pkey")
	b.WantPlan(t, "seldom", func(q *db.Queries) error { return testenv.ErrOf(q.PayoutListByMerchant(t.Context(), seldom)) },
		"(status = 'failed'::text) AND (id > ")
	b.WantPlan(t, "order", func(q *db.Queries) error {
		return testenv.ErrOf(q.PayoutListByOrder(t.Context(), db.PayoutListByOrderParams{
			MerchantID: merchant.ID, Channels: []string{"sbp", "c2c"}, OrderID: "order-20000", BelowID: 1 << 62,
		}))
	}, "payin_key_pkey", "Index Scan using payin_")
	// Made on the 29th: the first ids of that day and of the 2nd, a day to
	// spare, bound them.
	b.WantPlan(t, "times", func(q *db.Queries) (err error) {
		times := query
		times.AboveID, times.BelowID, err = span.IDs(t.Context(), q, "payin", 0, 1<<62)
		testenv.NoError(t, err)
		times.CreatedFrom, times.CreatedTo = span.From, span.To
		return testenv.ErrOf(q.PayoutListByMerchant(t.Context(), times))
	}, "id > '22959'", "id < '27280'")
}

// A trader reads a payout that waits if they can pay it, and the whole of it
// once they took it. To all others there is none.
func TestGetOffer(t *testing.T) {
	s := newScene(t)
	taker := s.taker.Caller
	taker.Role = caller.Desk
	stranger := s.NewTrader(t, dbtest.TraderOpts{}).Caller
	name := id(s.p)
	get := func(who caller.Caller) payout.Offer {
		return testenv.Must(s.payouts.GetOffer(t.Context(), who, name))(t)
	}
	waiting := get(taker)
	testenv.Check(t, waiting.Status == payout.Waiting && waiting.Address == s.p.AddressMask && waiting.Recipient == "",
		"it waits: %+v", waiting)
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.GetOffer(t.Context(), stranger, name)), "not_found")
	testenv.Must(s.payouts.Take(t.Context(), taker, name))(t)
	taken := get(taker)
	testenv.Check(t, taken.Address != s.p.AddressMask && taken.Recipient != "" &&
		taken.RewardUSDT.Equal(waiting.RewardUSDT), "it is taken: %+v", taken)
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.GetOffer(t.Context(), s.second.Caller, name)), "not_found")
	s.Exec(t, "update trader_payout_method set enabled = false")
	get(taker) // what they took stays theirs
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.GetOffer(t.Context(), taker, "x")), "not_found")
	taker.Role = ""
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.GetOffer(t.Context(), taker, name)), "role_not_allowed")
}

const pdf = "%PDF-1.4\n%proof\n"

func proofOf(content string) payout.Proof {
	return payout.Proof{
		Reference: new("tx-1"), FileName: "proof.hta", File: io.NewSectionReader(strings.NewReader(content), 0, int64(len(content))),
	}
}

// A payout is completed with a file that shows it, which its trader, its
// merchant and operators read, and nobody else. One of another type, and one
// that comes too late, leaves nothing. It is removed after the time to keep.
func TestProofFile(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	dbtest.WantFields(t, testenv.ErrOf(s.payouts.Prove(t.Context(), s.taker.Caller, id(s.p), proofOf("<html>"))), "file")
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Prove(t.Context(), s.second.Caller, id(s.p), proofOf(pdf))), "not_found")
	none, err := s.payouts.FindProof(t.Context(), operator, id(s.p))
	testenv.Need(t, none == nil && err == nil, "%+v, %v", none, err)
	dbtest.WantCode(t, testenv.ErrOf2(s.payouts.ReadProof(t.Context(), operator, id(s.p))), "not_found")
	testenv.Must(s.payouts.Prove(t.Context(), s.taker.Caller, id(s.p), proofOf(pdf)))(t)
	dbtest.WantCode(t, testenv.ErrOf(s.payouts.Prove(t.Context(), s.taker.Caller, id(s.p), proofOf(pdf))), "payin_not_processing")
	testenv.Want(t, s.Text(t, "select status || ' ' || proof_reference from payin"), "completed tx-1", "the payout is")

	for _, who := range []caller.Caller{s.taker.Caller, s.m.User(caller.Support), operator} {
		file, content := testenv.Must2(s.payouts.ReadProof(t.Context(), who, id(s.p)))(t)
		found := testenv.Must(s.payouts.FindProof(t.Context(), who, id(s.p)))(t)
		testenv.Check(t, file.Name == "proof.hta.pdf" && file.Type == "application/pdf" && string(content) == pdf &&
			*found == file, "%s reads %+v, %q", who.Kind, file, content)
	}
	testenv.Want(t, s.Text(t, "select string_agg(subject || ' ' || what, ',') from sensitive_read"), "payin file", "noted")
	stranger := s.NewMerchant(t, dbtest.MerchantOpts{}).User(caller.Owner)
	dbtest.WantCode(t, testenv.ErrOf2(s.payouts.ReadProof(t.Context(), s.second.Caller, id(s.p))), "not_found")
	dbtest.WantCode(t, testenv.ErrOf2(s.payouts.ReadProof(t.Context(), stranger, id(s.p))), "cashbox_access_denied")

	testenv.NoError(t, s.payouts.PurgeProofs(t.Context(), time.Hour))
	testenv.Want(t, s.Count(t, "select count(*) from payin_proof_chunk"), 1, "while it is to be kept")
	s.clock.Advance(2 * time.Hour)
	later := s.create(t, s.m.Caller, request("order-2"))
	s.take(t, s.taker, later)
	testenv.Must(s.payouts.Prove(t.Context(), s.taker.Caller, id(later), proofOf(pdf)))(t)
	for range 2 {
		testenv.NoError(t, s.payouts.PurgeProofs(t.Context(), time.Hour))
	}
	testenv.Want(t, s.Count(t, "select count(*) from setting_change where subject = 'purge'"), 1, "receipts of purges")
	testenv.Want(t, s.Count(t, "select count(*) from payin_proof_chunk"), 1, "then")
	_, content := testenv.Must2(s.payouts.ReadProof(t.Context(), operator, id(later)))(t)
	testenv.Want(t, string(content), pdf, "a later proof is")
	dbtest.WantCode(t, testenv.ErrOf2(s.payouts.ReadProof(t.Context(), operator, id(s.p))), "file_purged")
}

// A payout that was taken and not ended in time waits for an operator, and
// never goes back by itself.
func TestOverdue(t *testing.T) {
	s := newScene(t)
	s.take(t, s.taker, s.p)
	overdue := func() int {
		t.Helper()
		list, _ := testenv.Must2(s.payouts.ListOverdue(t.Context(), operator, payout.Page{}.Page))(t)
		return len(list)
	}
	s.clock.Advance(30*time.Minute - time.Millisecond)
	testenv.Want(t, overdue(), 0, "overdue a moment before")
	s.clock.Advance(time.Millisecond)
	testenv.Want(t, overdue(), 1, "overdue after half an hour")
	s.clock.Advance(day)
	testenv.NoError(t, s.payouts.ExpireAll(t.Context()))
	n, status := overdue(), s.Text(t, "select status from payin")
	testenv.Check(t, n == 1 && status == "processing", "%d overdue, %s", n, status)
	after, err := s.payouts.Resolve(t.Context(), operator, id(s.p),
		payout.Resolution{Outcome: "failed", Reason: new("the trader is gone")})
	testenv.Check(t, err == nil && after.Status == "failed" && *after.StatusReason == "the trader is gone" &&
		overdue() == 0, "resolved %+v %v", after, err)
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "0", "0"})
}

// To the millisecond: a day after its creation nobody can take a payout any
// more, swept or not.
func TestExpiry(t *testing.T) {
	s := newScene(t)
	s.clock.Advance(day - time.Millisecond)
	testenv.Want(t, testenv.Must(s.payouts.Expire(t.Context()))(t), 0, "expired early")
	s.clock.Advance(time.Millisecond)
	dbtest.WantCode(t, steps["take"](s), "payin_not_waiting")
	testenv.Want(t, testenv.Must(s.payouts.Expire(t.Context()))(t), 1, "expired")
	s.wantMoney(t, s.m.CashboxID, s.taker.ID, money{"100", "0", "0", "0"})
}

// The webhook's body, field by field, as decided.
func TestEvents(t *testing.T) {
	t.Parallel()
	for name, path := range map[string][]string{"completed": {"take", "complete"}, "failed": {"take", "fail"}, "expired": {"expire"}} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			for _, step := range path {
				testenv.NoError(t, steps[step](s))
			}
			want := testenv.Must(os.ReadFile("testdata/event_" + name + ".json"))(t)
			event := s.Text(t, "select id::text from webhook_event")
			body := strings.NewReplacer("<event>", event, "<id>", id(s.p)).Replace(strings.TrimSpace(string(want)))
			got := s.Text(t, "select convert_from(body, 'utf8') from webhook_event")
			testenv.Want(t, got, body, "the webhook")
			row := s.Text(t, `select type || ' ' || subject || ' ' || sequence || ' ' || url || ' ' ||
				(subject_id = (select id from payin)) || ' ' || (cashbox_id = (select cashbox_id from payin)) from webhook_event`)
			testenv.Want(t, row, "payin.status.updated payin 1 https://shop.example/hook true true", "event")
		})
	}
}

// Replicas that sweep at the same time end every overdue payout once.
func TestReplicasExpire(t *testing.T) {
	b, m := withMerchant(t, "1000")
	const payouts = 20
	for i := range payouts {
		b.create(t, m.Caller, request(fmt.Sprintf("order-%d", i)))
	}
	b.clock.Advance(day)
	var expired atomic.Int64
	testenv.NoError(t, testenv.AtOnce(4, func(int) error {
		n, err := b.payouts.Expire(context.Background())
		expired.Add(int64(n))
		return err
	})...)
	testenv.Want(t, expired.Load(), payouts, "expired")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), payouts, "events")
	b.wantMoney(t, m.CashboxID, b.trader(t).ID, money{"1000", "0", "0", "0"})
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.payouts, map[string]string{
		"merchant_key":                          "Create",
		"merchant_portal":                       "AllFilePayouts File FilePayouts FileProgress Files Keys MakeFile PreviewFile SendFile",
		"merchant_key merchant_portal":          "Cancel ListOwn",
		"merchant_key merchant_portal operator": "Get",
		"trader":                                "Take Complete Prove Fail GiveBack Desk DeskCounts GetOffer ListForTrader",
		"operator":                              "Reclaim Reverse Resolve ListOverdue",
		"merchant_key trader merchant_portal operator": "FindProof ReadProof",
	})
}
