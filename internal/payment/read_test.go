package payment_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/metadata"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

func TestWhoMaySeeAPayment(t *testing.T) {
	b := setup(t)
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 2})
	r := request("order-1")
	r.Payer = &payment.Payer{UserID: new("user-7")}
	p := b.create(t, merchant.Caller, r)
	noPayer := b.create(t, merchant.Caller, request("order-2"))
	id := fmt.Sprint(p.ID)
	payer := func(login string, merchants ...int64) caller.Caller {
		return caller.Caller{Kind: caller.Cabinet, ID: 99, Login: login, MerchantIDs: merchants}
	}
	otherScopes := merchant.Caller
	otherScopes.Scopes = []string{caller.ScopeDeposits, caller.ScopePayouts}
	cases := map[string]struct {
		who  caller.Caller
		id   string
		code string
	}{
		"its key, by uuid":   {merchant.Caller, p.UUID.String(), ""},
		"other scopes":       {otherScopes, id, "merchant_scope_required"},
		"its portal":         {portalOf(merchant.ID), id, ""},
		"operator":           {caller.Caller{Kind: caller.Operator, Role: caller.Admin}, id, ""},
		"its trader":         {trader.Caller, id, ""},
		"payer by login":     {payer("user-7", other.ID, merchant.ID), id, ""},
		"another's player":   {payer("user-7", other.ID), id, "not_found"},
		"no one's player":    {payer("user-7"), id, "not_found"},
		"another payer":      {payer("user-8", merchant.ID), id, "not_found"},
		"payer of nothing":   {payer("", merchant.ID), fmt.Sprint(noPayer.ID), "not_found"},
		"anyone":             {caller.Caller{Kind: caller.Anyone}, id, "not_found"},
		"uuid in braces":     {merchant.Caller, "{" + p.UUID.String() + "}", "not_found"},
		"uuid without lines": {merchant.Caller, strings.ReplaceAll(p.UUID.String(), "-", ""), "not_found"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := b.payments.Get(t.Context(), c.who, c.id)
			if c.code != "" {
				dbtest.WantCode(t, err, c.code)
			} else if err != nil || got.ID != p.ID {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	// The payer's numeric id serves as well as their login.
	r = request("order-3")
	r.Amount, r.Payer = "500", &payment.Payer{UserID: new("42")}
	p = b.create(t, merchant.Caller, r)
	testenv.Must(b.payments.Get(t.Context(),
		caller.Caller{Kind: caller.Cabinet, ID: 42, Login: "somebody", MerchantIDs: []int64{merchant.ID}},
		fmt.Sprint(p.ID)))(t)
}

func TestListAssigned(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", Requisites: 5})
	ctx := context.Background()
	stranger := b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1, Method: "card"})
	b.create(t, merchant.Caller, requestBy("another's", "RUB", "card"))
	var made []int64
	for i := range 5 {
		made = append(made, b.create(t, merchant.Caller, request(fmt.Sprint("order-", i))).ID)
	}
	b.set(t, made[1], "completed")
	b.set(t, made[3], "completed")

	assigned := func(page payment.Page) ([]int64, *string) {
		list, next := testenv.Must2(b.payments.ListAssigned(ctx, trader.Caller, page))(t)
		return ids(list), next
	}
	// Newest first; the last page has no cursor, full or not.
	all := []int64{made[4], made[3], made[2], made[1], made[0]}
	wantPages(t, page(2, nil), assigned, all[:2], all[2:4], all[4:])
	wantPages(t, page(5, nil), assigned, all)
	wantPages(t, payment.Page{}, assigned, all)
	wantPages(t, page(1, new("completed")), assigned, made[3:4], made[1:2])
	wantPages(t, page(100, new("failed")), assigned, nil)
	list, _, err := b.payments.ListAssigned(ctx, stranger.Caller, payment.Page{})
	testenv.Check(t, err == nil && len(list) == 1, "the other trader has %d, %v", len(list), err)
	_, _, err = b.payments.ListAssigned(ctx, trader.Caller,
		payment.Page{Page: db.Page{Limit: new(int32(101)), Cursor: new("-1")}, Status: new("")})
	dbtest.WantFields(t, err, "limit", "status", "cursor")
}

// traderActions are what a trader does to a payment.
func (b *bundle) traderActions() map[string]func(who caller.Caller, id int64) error {
	ctx := context.Background()
	return map[string]func(who caller.Caller, id int64) error{
		"completed": func(who caller.Caller, id int64) error { return testenv.ErrOf(b.payments.Confirm(ctx, who, id)) },
		"cancelled": func(who caller.Caller, id int64) error {
			return testenv.ErrOf(b.payments.Cancel(ctx, who, id, new("no transfer")))
		},
	}
}

func TestTraderActions(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 6})
	for to, act := range b.traderActions() {
		p := b.create(t, merchant.Caller, request("order-"+to))
		dbtest.WantCode(t, act(caller.Caller{Kind: caller.Trader, Role: caller.Owner}, p.ID), "not_found") // a user of no trader
		b.wantEvents(t, p, 0)
		testenv.NoError(t, act(trader.Caller, p.ID))
		p = testenv.Must(b.payments.Get(t.Context(), merchant.Caller, p.UUID.String()))(t)
		history := b.History(t, p.MerchantID, p.ID)
		if last := history[len(history)-1]; string(p.Status) != to || last.Actor != fmt.Sprint("trader:", trader.ID) {
			t.Errorf("%s, by %s", p.Status, last.Actor)
		}
		b.wantEvents(t, p, 1)
		b.wantMoney(t, trader.ID, merchant.CashboxID, positions[to])
		b.set(t, p.ID, "cancelled")
		// Any status but pending is too late.
		for _, status := range []string{"completed", "failed", "cancelled", "appeal"} {
			b.set(t, p.ID, status)
			for _, again := range b.traderActions() {
				dbtest.WantCode(t, again(trader.Caller, p.ID), "payment_not_pending")
			}
		}
		b.set(t, p.ID, "failed")
	}
	p := b.create(t, merchant.Caller, request("order-3"))
	dbtest.WantFields(t, testenv.ErrOf(b.payments.Cancel(t.Context(), trader.Caller, p.ID, new(text(256)))), "reason")
	b.Audit(t)
}

// Of many who confirm or cancel at once, one wins, and the others are told that
// it is over.
func TestTraderActionsInParallel(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	errs := testenv.AtOnce(10, func(int) error { return b.traderActions()["completed"](trader.Caller, p.ID) })
	dbtest.WantOne(t, errs, "payment_not_pending")
	b.wantEvents(t, p, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
}

// Payments whose traders confirm them at the same time may be written together.
// One that somebody has locked keeps none of the others, and is completed once
// it is free; one that is confirmed twice is completed once.
func TestConfirmBesideALockedPayment(t *testing.T) {
	const many = 12
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "200", SharePercent: "2", Requisites: many})
	var payments []payment.Payment
	for i := range many {
		payments = append(payments, b.create(t, merchant.Caller, request(fmt.Sprint("order-", i))))
	}
	locked := payments[5].ID
	tx := testenv.Must(b.Open(t, 1, db.ForCommands).Begin(t.Context()))(t)
	testenv.Must(tx.Exec(t.Context(), "select from payment where id = $1 for update", locked))(t)
	waits := make(chan error, 1)
	errs := testenv.AtOnce(2*many, func(i int) error {
		id := payments[i%many].ID
		confirm := func() error { return b.traderActions()["completed"](trader.Caller, id) }
		switch {
		case i == 5:
			go func() { waits <- confirm() }()
			return nil
		case id == locked:
			return nil
		}
		return confirm()
	})
	refused := 0
	for _, err := range errs {
		if err != nil {
			dbtest.WantCode(t, err, "payment_not_pending")
			refused++
		}
	}
	testenv.Want(t, refused, many-1, "confirmed a second time")
	testenv.Want(t, b.Count(t, "select count(*) from payment where status = 'completed'"), many-1, "completed beside the locked one")
	testenv.NoError(t, tx.Rollback(t.Context()))
	testenv.NoError(t, <-waits)
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), many, "events")
	// Each takes 9.8 of the trader's 200, 10 less 2%. The cashbox gets
	// 1000/105 and the platform what is left.
	b.wantMoney(t, trader.ID, merchant.CashboxID, money{trader: "82.4", reserved: "0", cashbox: "114.28571424", platform: "3.31428576"})
	b.Audit(t)
}

// Cabinet users and traders see neither what the platform earns nor what it
// could be calculated from; the link to the payer's page is for those who may
// act as the payer; and before there is a fresh rate nobody sees what was
// calculated at an old one.
func TestSeen(t *testing.T) {
	t.Parallel()
	one := decimal.NewFromInt(1)
	known := payment.Payment{
		AmountUSDT: one, SpreadTraderUSDT: one, SpreadPlatformUSDT: one, ProfitUSDT: one,
		BaseRate: one, MarkupPercent: one,
	}
	unknown := known
	unknown.RateUnavailable = true
	for kind, all := range map[caller.Kind]bool{
		caller.MerchantKey: true, caller.Operator: true, caller.Application: true, caller.Cabinet: false, caller.Trader: false,
	} {
		who := caller.Caller{Kind: kind, ID: 1}
		seen := known.SumsFor(who)
		testenv.Check(t, seen.Restricted != all && seen.Amount != nil &&
			seen.SpreadTrader != nil, "%s: %+v", kind, seen)
		for name, number := range map[string]*decimal.Decimal{
			"platform's part": seen.SpreadPlatform, "profit": seen.Profit, "base rate": seen.BaseRate, "markup": seen.Markup,
		} {
			testenv.Want(t, number != nil, all, "%s sees the %s", kind, name)
		}
		late := unknown.SumsFor(who)
		testenv.Check(t, late.Amount == nil && late.SpreadTrader == nil && late.SpreadPlatform == nil &&
			late.Profit == nil && late.BaseRate == nil && (late.Markup != nil) == all, "%s, without a rate: %+v",
			kind, late)
	}
	// A merchant's users see their own terms, and not how trader and
	// platform share.
	seen := known.SumsFor(caller.Caller{Kind: caller.MerchantPortal, ID: 1})
	testenv.Check(t, seen.Amount != nil && seen.BaseRate != nil && seen.Markup != nil &&
		seen.Profit == nil && seen.SpreadTrader == nil && seen.SpreadPlatform == nil, "a merchant's user: %+v", seen)
}

// Whoever holds a payer's link acts as the payer: operators never get one, and
// of a merchant's users those who may end what was made. Operators, also while
// they look as another, see the end of a requisite.
func TestOperatorsActAsNoPayer(t *testing.T) {
	t.Parallel()
	p := payment.Payment{RequisiteValue: new("+79001234567")}
	for _, row := range testenv.Rows(t, "sight.txt") {
		who := caller.Caller{Kind: caller.Kind(row[0]), Role: caller.Role(row[1]), ViewAs: row[2] == "looks"}
		testenv.Want(t, who.SeesLink(), row[3] == "link", "%v: the link", row)
		testenv.Want(t, *p.RequisiteFor(who), row[4], "%v: the requisite", row)
	}
}

// Operators are shown every field of a payment, also one that is added, and the
// others all but those that are named here.
func TestShown(t *testing.T) {
	t.Parallel()
	var p payment.Payment
	for field, value := range reflect.ValueOf(&p).Elem().Fields() {
		switch value.Kind() {
		case reflect.Pointer:
			value.Set(reflect.New(value.Type().Elem()))
		case reflect.Map:
			value.Set(reflect.MakeMap(value.Type()))
		case reflect.String:
			value.SetString("text")
		case reflect.Bool:
			value.SetBool(true)
		case reflect.Int32, reflect.Int64:
			value.SetInt(1)
		default:
			known := []any{decimal.New(1, 0), decimal.NewNullDecimal(decimal.New(1, 0)), time.Now(), uuid.New()}
			at := slices.IndexFunc(known, func(one any) bool { return reflect.TypeOf(one) == value.Type() })
			testenv.Need(t, at >= 0, "say here what a %s is, so that %s can be filled", value.Type(), field.Name)
			value.Set(reflect.ValueOf(known[at]))
		}
	}
	for kind, hidden := range map[caller.Kind]string{
		caller.Operator: "",
		caller.Trader: `OrderID Description PayerUserID ReturnURL Metadata BaseRate MarkupPercent ProfitUSDT
			SpreadPlatformUSDT DifferenceUSDT`,
		caller.MerchantPortal: "TraderID RequisiteID ProfitUSDT SpreadTraderUSDT SpreadPlatformUSDT DifferenceUSDT",
	} {
		var missing []string
		for field, value := range reflect.ValueOf(p.For(caller.Caller{Kind: kind})).Fields() {
			if value.IsZero() {
				missing = append(missing, field.Name)
			}
		}
		testenv.Want(t, strings.Join(missing, " "), strings.Join(strings.Fields(hidden), " "), "hidden from %v", kind)
	}
}

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
			MerchantID: merchant.ID, Channels: []string{"sbp", "card"}, OrderID: "order-20000",
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
