package payment_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
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
	list, cursor, err := b.payments.List(context.Background(), who, query)
	if err != nil {
		t.Fatal(err)
	}
	return ids(list), cursor
}

func page(limit int32, cursor *string) payment.Page {
	return payment.Page{Page: db.Page{Limit: &limit, Cursor: cursor}}
}

// A cabinet user's payments are those of their login and of their id, of every merchant they are
// linked to, and nobody else's.
func TestListByPayer(t *testing.T) {
	t.Parallel()
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
		{first, ptr("anna"), true}, {first, ptr("42"), true}, {first, ptr("boris"), false}, {second, ptr("anna"), true},
		{first, nil, false}, {second, ptr("4"), false}, {first, ptr("anna"), true}, {first, ptr("ann"), false}, {second, ptr("42"), true},
		{first, ptr(""), false}, {third, ptr("anna"), false}, {third, ptr("42"), false}, {first, ptr(" anna\n"), true},
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
	if !slices.Equal(all, own) || cursor != nil {
		t.Errorf("listed %v, want %v", all, own)
	}
	var turned []int64
	query := payment.Query{Page: page(2, nil)}
	for pages := 1; ; pages++ {
		got, next := b.list(t, payer, query)
		turned = append(turned, got...)
		if query.Cursor = next; next == nil {
			if pages != 3 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if !slices.Equal(turned, own) {
		t.Errorf("turned %v, want %v", turned, own)
	}
	b.set(t, own[1], "completed")
	if got, _ := b.list(
		t,
		payer,
		payment.Query{Page: payment.Page{Status: ptr("completed")}},
	); !slices.Equal(
		got,
		own[1:2],
	) {
		t.Errorf("completed: %v", got)
	}
	// own[4] was made at minute 1, own[3] at 3, own[2] at 6: from counts in, to does not.
	if got, _ := b.list(
		t,
		payer,
		payment.Query{From: ptr(at(1)), To: ptr(at(6))},
	); !slices.Equal(
		got,
		[]int64{own[3], own[4]},
	) {
		t.Errorf("minutes 1 to 6: %v", got)
	}
	if got, _ := b.list(
		t,
		payer,
		payment.Query{OrderID: ptr("order-3"), Method: ptr("sbp")},
	); !slices.Equal(
		got,
		own[3:4],
	) {
		t.Errorf("by order: %v", got)
	}
	if got, _ := b.list(t, payer, payment.Query{Method: ptr("card")}); got != nil {
		t.Errorf("by card: %v", got)
	}
	for name, stranger := range map[string]caller.Caller{
		"another":             {Kind: caller.Cabinet, ID: 43, Login: "vera", MerchantIDs: payer.MerchantIDs},
		"anna of no merchant": {Kind: caller.Cabinet, ID: 42, Login: "anna"},
		"nobody":              {Kind: caller.Cabinet, ID: 44, Login: "", MerchantIDs: payer.MerchantIDs},
	} {
		if got, _ := b.list(t, stranger, payment.Query{}); got != nil {
			t.Errorf("%s lists %v", name, got)
		}
	}
}

// A payer with more payments than a page costs a page.
func TestListByPayerUsesItsIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	r := request("order-1")
	r.Payer = &payment.Payer{UserID: ptr("anna")}
	p := b.create(t, merchant.Caller, r)
	columns := "uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status, status_at, expires_at, created_at, " +
		"trader_id, base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent, hold_usdt, amount_usdt, profit_usdt, " +
		"spread_trader_usdt, spread_platform_usdt"
	b.exec(t, fmt.Sprintf(`insert into payment (merchant_id, id, payer_user_id, %[1]s)
		select merchant_id, n, case when n %% 20 = 0 then 'anna' else 'payer-' || n end, %[1]s
		from payment, generate_series(1000, 20000) n where id = $1`, columns), p.ID)
	b.exec(t, "analyze payment")
	// A trader's list by a status that few of their payments are in does not read the others.
	if plan := b.plan(t, `select * from payment where trader_id = $1 and status = 'appeal' and id < 9223372036854775807
		order by id desc limit 51`, p.TraderID); !strings.Contains(plan, "payment_trader_status_idx") &&
		!strings.Contains(plan, "payment_seldom_idx") { // of everybody's appeals there are as few here
		t.Errorf("the plan of a trader's list:\n%s", plan)
	}
	if plan := b.plan(t, `select p.* from unnest(array['anna', '42']) as payer (name)
		cross join unnest(array[1, 2]::bigint[]) as merchant (id) cross join lateral (
		select * from payment where payer_user_id = payer.name and merchant_id = merchant.id and payment.id < 9223372036854775807
		order by payment.id desc limit 51) p order by p.id desc limit 51`); !strings.Contains(plan, "Index Scan Backward using payment_player_idx") {
		t.Errorf("the plan:\n%s", plan)
	}
}

// plan is how the database would do a query.
func (b *bundle) plan(t *testing.T, query string, args ...any) string {
	t.Helper()
	rows, err := b.Pool.Query(context.Background(), "explain "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// A key looks up its merchant's payments of an order id: one a method, of the merchant alone.
func TestListByOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	merchant, other := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 5})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 5, Method: "card"})
	r := request("order-1")
	bySBP := b.create(t, merchant.Caller, r).ID
	r.Method = ptr("card")
	byCard := b.create(t, merchant.Caller, r).ID
	b.create(t, merchant.Caller, request("order-2"))
	b.create(t, other.Caller, request("order-1"))
	for name, test := range map[string]struct {
		query payment.Query
		want  []int64
	}{
		"both":        {payment.Query{OrderID: ptr("order-1")}, []int64{byCard, bySBP}},
		"trimmed":     {payment.Query{OrderID: ptr(" order-1\t")}, []int64{byCard, bySBP}},
		"one method":  {payment.Query{OrderID: ptr("order-1"), Method: ptr("sbp")}, []int64{bySBP}},
		"none of it":  {payment.Query{OrderID: ptr("order-1"), Method: ptr("iban")}, nil},
		"no such":     {payment.Query{OrderID: ptr("order-3")}, nil},
		"other case":  {payment.Query{OrderID: ptr("Order-1")}, nil},
		"at the edge": {payment.Query{OrderID: ptr(text(255))}, nil},
	} {
		if got, cursor := b.list(t, merchant.Caller, test.query); !slices.Equal(got, test.want) || cursor != nil {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

func TestListRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := context.Background()
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Scopes: []string{"deposits"}})
	unbound := merchant.Caller
	unbound.MerchantID = 0
	off := merchant.Caller
	off.APIEnabled = false
	for code, who := range map[string]caller.Caller{
		"merchant_scope_required": merchant.Caller, "merchant_binding_required": unbound, "merchant_api_disabled": off,
	} {
		_, _, err := b.payments.List(ctx, who, payment.Query{})
		wantCode(t, err, code)
	}
	for _, kind := range []caller.Kind{caller.MerchantPortal, caller.Trader, caller.Operator, caller.Anyone, caller.Application} {
		_, _, err := b.payments.List(ctx, caller.Caller{Kind: kind, MerchantID: merchant.ID}, payment.Query{})
		wantCode(t, err, "token_kind_not_allowed")
	}
	payer := caller.Caller{Kind: caller.Cabinet, ID: 1, Login: "anna"}
	for field, query := range map[string]payment.Query{
		"limit":  {Page: page(101, nil)},
		"cursor": {Page: page(1, ptr("0"))},
		"status": {Page: payment.Page{Status: ptr("PENDING")}},
		"to":     {From: ptr(at(1)), To: ptr(at(0))},
	} {
		_, _, err := b.payments.List(ctx, payer, query)
		wantFields(t, err, field)
	}
	_, _, err := b.payments.List(ctx, payer, payment.Query{
		Page: payment.Page{
			Status: ptr(""),
			Page:   db.Page{Limit: ptr[int32](0), Cursor: ptr("-1")},
		},
		From: ptr(at(2)),
		To:   ptr(at(1)),
	})
	wantFields(t, err, "cursor", "limit", "status", "to")
	able := merchant.Caller
	able.Scopes = []string{"payments"}
	for _, query := range []payment.Query{{}, {OrderID: ptr(" ")}, {OrderID: ptr(text(256))}} {
		_, _, err := b.payments.List(ctx, able, query)
		wantFields(t, err, "orderId")
	}
	_, _, err = b.payments.List(ctx, able, payment.Query{Method: ptr("cash")})
	wantFields(t, err, "method", "orderId")
}
