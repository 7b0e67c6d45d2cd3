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
