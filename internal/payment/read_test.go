package payment_test

import (
	"context"
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
				wantCode(t, err, c.code)
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
	r := request("another's")
	r.Method = new("card")
	b.create(t, merchant.Caller, r)
	var ids []int64
	for i := range 5 {
		ids = append(ids, b.create(t, merchant.Caller, request(fmt.Sprint("order-", i))).ID)
	}
	b.set(t, ids[1], "completed")
	b.set(t, ids[3], "completed")

	// Newest first; the last page has no cursor, full or not.
	b.wantPages(t, trader.Caller, 2, "", [][]int64{{ids[4], ids[3]}, {ids[2], ids[1]}, {ids[0]}})
	b.wantPages(t, trader.Caller, 5, "", [][]int64{{ids[4], ids[3], ids[2], ids[1], ids[0]}})
	b.wantPages(t, trader.Caller, 0, "", [][]int64{{ids[4], ids[3], ids[2], ids[1], ids[0]}})
	b.wantPages(t, trader.Caller, 1, "completed", [][]int64{{ids[3]}, {ids[1]}})
	b.wantPages(t, trader.Caller, 100, "failed", [][]int64{nil})
	list, _, err := b.payments.ListAssigned(ctx, stranger.Caller, payment.Page{})
	testenv.Check(t, err == nil && len(list) == 1, "the other trader has %d, %v", len(list), err)
	_, _, err = b.payments.ListAssigned(ctx, trader.Caller,
		payment.Page{Page: db.Page{Limit: new(int32(101)), Cursor: new("-1")}, Status: new("")})
	wantFields(t, err, "limit", "status", "cursor")
}

// wantPages turns the pages from the first to the last, of so many payments of a status; 0 and "" are neither said.
func (b *bundle) wantPages(t *testing.T, who caller.Caller, limit int32, status string, want [][]int64) {
	t.Helper()
	var got [][]int64
	page := payment.Page{Page: db.Page{Limit: unlessZero(limit)}, Status: unlessZero(status)}
	for range len(want) + 1 {
		list, cursor, err := b.payments.ListAssigned(context.Background(), who, page)
		noError(t, err)
		var ids []int64
		for _, p := range list {
			ids = append(ids, p.ID)
		}
		got = append(got, ids)
		if page.Cursor = cursor; cursor == nil {
			break
		}
	}
	testenv.Want(t, fmt.Sprint(got), fmt.Sprint(want), "pages")
}

// unlessZero is nothing where there is no value.
func unlessZero[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
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
		wantCode(t, act(caller.Caller{Kind: caller.Trader, Role: caller.Owner}, p.ID), "not_found") // a user of no trader
		b.wantEvents(t, p, 0)
		noError(t, act(trader.Caller, p.ID))
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
				wantCode(t, again(trader.Caller, p.ID), "payment_not_pending")
			}
		}
		b.set(t, p.ID, "failed")
	}
	p := b.create(t, merchant.Caller, request("order-3"))
	wantFields(t, testenv.ErrOf(b.payments.Cancel(t.Context(), trader.Caller, p.ID, new(text(256)))), "reason")
	b.Audit(t)
}

// Of many who confirm or cancel at once, one wins, and the others are told that it is over.
func TestTraderActionsInParallel(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "100", SharePercent: "2", Requisites: 1})
	p := b.create(t, merchant.Caller, request("order-1"))
	errs := testenv.AtOnce(10, func(int) error { return b.traderActions()["completed"](trader.Caller, p.ID) })
	dbtest.WantOne(t, errs, "payment_not_pending")
	b.wantEvents(t, p, 1)
	b.wantMoney(t, trader.ID, merchant.CashboxID, positions["completed"])
}

// Cabinet users and traders see neither what the platform earns nor what it could be calculated
// from; the link to the payer's page is for those who may act as the payer; and before there is a fresh rate nobody sees
// what was calculated at an old one.
func TestSeen(t *testing.T) {
	t.Parallel()
	one := decimal.NewFromInt(1)
	known := payment.Payment{
		AmountUSDT: one, SpreadTraderUSDT: one, SpreadPlatformUSDT: one, ProfitUSDT: one,
		BaseRate: one, MarkupPercent: one,
	}
	unknown := known
	unknown.RateUnavailable = true
	for kind, want := range map[caller.Kind]struct{ all, link bool }{
		caller.MerchantKey: {true, true}, caller.Operator: {true, false}, caller.Application: {true, false},
		caller.Cabinet: {false, true}, caller.Trader: {false, false},
	} {
		who := caller.Caller{Kind: kind, ID: 1}
		seen := known.Seen(who)
		testenv.Check(t, seen.Link == want.link && seen.Restricted != want.all && seen.Amount != nil &&
			seen.SpreadTrader != nil, "%s: %+v", kind, seen)
		for name, number := range map[string]*decimal.Decimal{
			"platform's part": seen.SpreadPlatform, "profit": seen.Profit, "base rate": seen.BaseRate, "markup": seen.Markup,
		} {
			testenv.Want(t, number != nil, want.all, "%s sees the %s", kind, name)
		}
		late := unknown.Seen(who)
		testenv.Check(t, late.Amount == nil && late.SpreadTrader == nil && late.SpreadPlatform == nil &&
			late.Profit == nil && late.BaseRate == nil && (late.Markup != nil) == want.all, "%s, without a rate: %+v",
			kind, late)
	}
	// A merchant's users see their own terms, and not how trader and platform share.
	seen := known.Seen(caller.Caller{Kind: caller.MerchantPortal, ID: 1})
	testenv.Check(t, seen.Amount != nil && seen.BaseRate != nil && seen.Markup != nil && !seen.Link &&
		seen.Profit == nil && seen.SpreadTrader == nil && seen.SpreadPlatform == nil, "a merchant's user: %+v", seen)
}

// Whoever holds a payer's link acts as the payer: operators never get one, and of a merchant's users
// those who may end what was made. Operators, also while they look as another, see the end of a requisite.
func TestOperatorsActAsNoPayer(t *testing.T) {
	t.Parallel()
	p := payment.Payment{RequisiteValue: new("+79001234567")}
	for name, c := range map[string]struct {
		who         caller.Caller
		link, whole bool
	}{
		"admin":             {caller.Caller{Kind: caller.Operator, Role: caller.Admin}, false, false},
		"auditor":           {caller.Caller{Kind: caller.Operator, Role: caller.Auditor}, false, false},
		"owner":             {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner}, true, true},
		"finance":           {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Finance}, true, true},
		"developer":         {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Developer}, false, true},
		"support":           {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Support}, false, true},
		"look as the owner": {caller.Caller{Kind: caller.MerchantPortal, Role: caller.Owner, ViewAs: true}, false, false},
		"look as a trader":  {caller.Caller{Kind: caller.Trader, Role: caller.Owner, ViewAs: true}, false, false},
		"look as a payer":   {caller.Caller{Kind: caller.Cabinet, ViewAs: true}, false, false},
		"trader":            {caller.Caller{Kind: caller.Trader, Role: caller.Owner}, false, true},
		"key":               {caller.Caller{Kind: caller.MerchantKey}, true, true},
	} {
		shown := "•••• 4567"
		if c.whole {
			shown = "+79001234567"
		}
		link, value := p.Seen(c.who).Link, *p.RequisiteFor(c.who)
		testenv.Check(t, link == c.link && value == shown, "%s: link %t, requisite %s", name, link, value)
	}
}

// Operators are shown every field of a payment, also one that is added, and the others all but those that are named here.
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
			SpreadPlatformUSDT`,
		caller.MerchantPortal: "TraderID RequisiteID ProfitUSDT SpreadTraderUSDT SpreadPlatformUSDT",
	} {
		var missing []string
		for field, value := range reflect.ValueOf(p.Shown(caller.Caller{Kind: kind})).Fields() {
			if value.IsZero() {
				missing = append(missing, field.Name)
			}
		}
		testenv.Want(t, strings.Join(missing, " "), strings.Join(strings.Fields(hidden), " "), "hidden from %v", kind)
	}
}
