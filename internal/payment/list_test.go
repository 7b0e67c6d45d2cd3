package payment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/metadata"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

func ids(list []payment.Payment) []int64 {
	var all []int64
	for _, p := range list {
		all = append(all, p.ID)
	}
	return all
}

// list asks for payments and must get them.
func (b *bundle) list(t *testing.T, who caller.Caller, query payment.Query) ([]int64, *string) {
	t.Helper()
	list, cursor := testenv.Must2(b.payments.List(context.Background(), who, query))(t)
	return ids(list), cursor
}

func page(limit int32, status *string) payment.Page {
	return payment.Page{Page: db.Page{Limit: &limit}, Status: status}
}

// wantPages turns the pages of a list from the first to the last, which alone
// leads to no other.
func wantPages(t *testing.T, first payment.Page, list func(page payment.Page) ([]int64, *string), want ...[]int64) {
	t.Helper()
	var got [][]int64
	for page := first; len(got) <= len(want); {
		ids, next := list(page)
		got = append(got, ids)
		if page.Cursor = next; next == nil {
			break
		}
	}
	testenv.Want(t, fmt.Sprint(got), fmt.Sprint(want), "pages")
}

// wantTurned wants everything that somebody lists, two a page.
func (b *bundle) wantTurned(t *testing.T, who caller.Caller, want []int64) {
	t.Helper()
	wantPages(t, page(2, nil), func(page payment.Page) ([]int64, *string) {
		return b.list(t, who, payment.Query{Page: page})
	}, slices.Collect(slices.Chunk(want, 2))...)
}

// A cabinet user's payments are those of their login and of their id, of every
// merchant they are linked to, and nobody else's.
func TestListByPayer(t *testing.T) {
	b := setup(t)
	first, second := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 20})
	third := b.NewMerchant(t, dbtest.MerchantOpts{})
	payer := caller.Caller{Kind: caller.Cabinet, ID: 42, Login: "anna", MerchantIDs: []int64{first.ID, second.ID}}
	var own []int64
	for i, test := range []struct {
		merchant dbtest.Merchant
		payer    *string
		own      bool
	}{
		{first, new("anna"), true}, {first, new("42"), true}, {first, new("boris"), false}, {second, new("anna"), true},
		{first, nil, false}, {second, new("4"), false}, {first, new("anna"), true}, {first, new("ann"), false}, {second, new("42"), true},
		{first, new(""), false}, {third, new("anna"), false}, {third, new("42"), false}, {first, new(" anna\n"), true},
	} {
		r := request(fmt.Sprint("order-", i))
		r.Payer = &payment.Payer{UserID: test.payer}
		p := b.create(t, test.merchant.Caller, r)
		if test.own {
			own = append(own, p.ID)
		}
		b.clock.Advance(time.Minute)
	}
	slices.Reverse(own) // newest first
	all, cursor := b.list(t, payer, payment.Query{})
	testenv.Check(t, slices.Equal(all, own) && cursor == nil, "listed %v, want %v", all, own)
	b.wantTurned(t, payer, own)
	b.set(t, own[1], "completed")
	// own[4] was made at minute 1, own[3] at 3, own[2] at 6: from counts
	// in, to does not.
	for name, test := range map[string]struct {
		query payment.Query
		want  []int64
	}{
		"completed":      {payment.Query{Page: payment.Page{Status: new("completed")}}, own[1:2]},
		"minutes 1 to 6": {payment.Query{Span: db.Span{From: new(at(1)), To: new(at(6))}}, own[3:5]},
		"by order":       {payment.Query{OrderID: new("order-3"), Method: new("sbp")}, own[3:4]},
		"by card":        {payment.Query{Method: new("card")}, nil},
	} {
		got, _ := b.list(t, payer, test.query)
		testenv.WantAll(t, got, test.want, "%s", name)
	}
	for name, stranger := range map[string]caller.Caller{
		"another":             {Kind: caller.Cabinet, ID: 43, Login: "vera", MerchantIDs: payer.MerchantIDs},
		"anna of no merchant": {Kind: caller.Cabinet, ID: 42, Login: "anna"},
		"nobody":              {Kind: caller.Cabinet, ID: 44, Login: "", MerchantIDs: payer.MerchantIDs},
	} {
		got, _ := b.list(t, stranger, payment.Query{})
		testenv.Check(t, got == nil, "%s lists %v", name, got)
	}
}

// A payer with more payments than a page costs a page.
func TestListByPayerUsesItsIndex(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	r := request("order-1")
	r.Payer = &payment.Payer{UserID: new("anna")}
	p := b.create(t, merchant.Caller, r)
	columns := "uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status, status_at, expires_at, created_at, " +
		"trader_id, base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent, hold_usdt, amount_usdt, profit_usdt, " +
		"spread_trader_usdt, spread_platform_usdt"
	b.Exec(t, fmt.Sprintf(`insert into payment (merchant_id, id, payer_user_id, %[1]s)
		select merchant_id, n, case when n %% 20 = 0 then 'anna' else 'payer-' || n end, %[1]s
		from payment, generate_series(1000, 20000) n where id = $1`, columns), p.ID)
	b.Exec(t, "analyze payment")
	plan := func(query string, args ...any) string {
		return strings.Join(b.Texts(t, "explain "+query, args...), "\n")
	}
	// A trader's list by a status that few of their payments are in does
	// not read the others.
	if plan := plan(`select * from payment where trader_id = $1 and status = 'appeal' and id < 9223372036854775807
		order by id desc limit 51`, p.TraderID); !strings.Contains(plan, "payment_trader_status_idx") &&
		!strings.Contains(plan, "payment_seldom_idx") { // of everybody's appeals there are as few here
		t.Errorf("the plan of a trader's list:\n%s", plan)
	}
	of := plan(`select p.* from unnest(array['anna', '42']) as payer (name)
		cross join unnest(array[1, 2]::bigint[]) as merchant (id) cross join lateral (
		select * from payment where payer_user_id = payer.name and merchant_id = merchant.id and payment.id < 9223372036854775807
		order by payment.id desc limit 51) p order by p.id desc limit 51`)
	testenv.Check(t, strings.Contains(of, "Index Scan Backward using payment_player_idx"), "the plan:\n%s", of)
}

// A key lists its merchant's payments, the newest first, by any of the filters
// and page by page.
func TestListByMerchant(t *testing.T) {
	b := setup(t)
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 12})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 12, Method: "card"})
	var made []int64 // at minute 0, 1, 2, 3 and 4
	for i := range 5 {
		r := request(fmt.Sprint("order-", i))
		if i == 3 {
			r.Method = new("card")
		}
		made = append([]int64{b.create(t, merchant.Caller, r).ID}, made...)
		b.create(t, other.Caller, request(fmt.Sprint("order-", i)))
		b.clock.Advance(time.Minute)
	}
	b.set(t, made[2], "completed")
	b.set(t, made[3], "failed")
	for _, row := range testenv.Rows(t, "list.txt") {
		var query payment.Query
		testenv.NoError(t, json.Unmarshal([]byte(row[1]), &query))
		var want []int64
		for _, n := range strings.Fields(row[0]) {
			want = append(want, made[4-int(n[0]-'0')])
		}
		got, cursor := b.list(t, merchant.Caller, query)
		testenv.Check(t, slices.Equal(got, want) && cursor == nil, "%s: %v, want %v", row[1], got, want)
	}
	b.wantTurned(t, merchant.Caller, made)

	twin := request("order-4")
	twin.Method = new("card")
	made = append([]int64{b.create(t, merchant.Caller, twin).ID}, made...)
	wantPages(t, page(1, nil), func(page payment.Page) ([]int64, *string) {
		return b.list(t, merchant.Caller, payment.Query{OrderID: new("order-4"), Page: page})
	}, made[:1], made[1:2])
}

// A merchant's list costs a page, and not all that the merchant has: by an
// order id, by seldom statuses and by times long ago as well.
func TestListByMerchantPlans(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	b.Exec(t, `insert into payment select made.* from payment p, generate_series(10000, 40000) n,
		jsonb_populate_record(p, jsonb_build_object('id', n, 'merchant_id', p.merchant_id + n % 200,
			'uuid', gen_random_uuid(), 'order_id', 'order-' || n, 'created_at', p.created_at + n * interval '1 minute', 'status', 'completed')) made where p.id = $1`, p.ID)
	b.Exec(t, `insert into payment_key (merchant_id, channel, order_id, payment_id)
		select merchant_id, 'sbp', order_id, id from payment where id >= 10000`)
	b.Exec(t, `insert into day_first_id (subject, day, first_id)
		select 'payment', $1::date + n, 10000 + 1440 * n from generate_series(0, 20) n`, dbtest.Start)
	b.Exec(t, "analyze payment, payment_key, day_first_id")
	query := db.PaymentListByMerchantParams{MerchantID: merchant.ID, BelowID: 1 << 62, Page: 51}
	seldom := query
	seldom.Status = new("failed")
	span := db.Span{From: new(dbtest.Start.AddDate(0, 0, 9)), To: new(dbtest.Start.AddDate(0, 0, 10))}
	b.WantPlan(t, "all", func(q *db.Queries) error { return testenv.ErrOf(q.PaymentListByMerchant(t.Context(), query)) },
		"Index Cond: ((merchant_id = ", "payment_pkey")
	b.WantPlan(t, "seldom", func(q *db.Queries) error { return testenv.ErrOf(q.PaymentListByMerchant(t.Context(), seldom)) },
		"(status = 'failed'::text) AND (id > ")
	b.WantPlan(t, "order", func(q *db.Queries) error {
		return testenv.ErrOf(q.PaymentListByOrder(t.Context(), db.PaymentListByOrderParams{
			MerchantID: merchant.ID, Channels: []string{"sbp", "card"}, OrderID: "order-20000", BelowID: 1 << 62,
		}))
	}, "payment_key_pkey", "Index Scan using payment_")
	b.Exec(t, `insert into metadata_pair (merchant_id, subject, pair, subject_id)
		select merchant_id, 'payment', (md5((id / 200 % 2)::text))::uuid, id from payment where id >= 10000`)
	b.Exec(t, "analyze metadata_pair")
	b.WantPlan(t, "metadata", func(q *db.Queries) error {
		return testenv.ErrOf(q.PaymentListByPair(t.Context(), db.PaymentListByPairParams{
			MerchantID: merchant.ID, Pair: metadata.Pair{}.ID(), BelowID: 1 << 62, Page: 51,
		}))
	}, "Index Only Scan Backward using metadata_pair_pkey", "Index Scan using payment_")
	// Made on the 29th: the first ids of that day and of the 2nd, a day to
	// spare, bound them.
	b.WantPlan(t, "times", func(q *db.Queries) (err error) {
		times := query
		times.AboveID, times.BelowID, err = span.IDs(t.Context(), q, "payment", 0, 1<<62)
		testenv.NoError(t, err)
		times.CreatedFrom, times.CreatedTo = span.From, span.To
		return testenv.ErrOf(q.PaymentListByMerchant(t.Context(), times))
	}, "id > '22959'", "id < '27280'")
}
