package payment_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// The same order id is another payment on another channel and of another
// merchant.
func TestOrderIDsAreSeparate(t *testing.T) {
	b := setup(t)
	first, second := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	for _, method := range []string{"sbp", "sim", "card"} {
		b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 2, Method: method})
	}
	seen := map[int64]bool{}
	for _, merchant := range []dbtest.Merchant{first, second} {
		for _, method := range []string{"sbp", "sim", "card"} {
			p := b.create(t, merchant.Caller, requestBy("order-1", "RUB", method))
			testenv.Check(t, !seen[p.ID] && p.MerchantID == merchant.ID && p.CashboxID == merchant.CashboxID &&
				p.Method == method, "%+v", p)
			seen[p.ID] = true
		}
	}
	b.Audit(t)
}

// rubCollect.method wins over the root method: for the channel, the requisite
// and the cashbox method alike.
func TestRubCollectWins(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"card"}})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1, Method: "card"})
	r := request("order-1")
	r.Method, r.RubCollectMethod = new("sim"), new("card")
	p := b.create(t, merchant.Caller, r)
	testenv.Check(t, p.Method == "card" && *p.RequisiteType == "card", "%s, %s", p.Method, *p.RequisiteType)
	for _, again := range [][2]*string{{new("card"), nil}, {nil, new("card")}} {
		r.Method, r.RubCollectMethod = again[0], again[1]
		testenv.Want(t, testenv.Must(b.payments.Create(t.Context(), merchant.Caller, r))(t).Replay, true, "the channel is the same")
	}
}

// A key without a cashbox of its own uses the first of its merchant's that is
// on for currency and method.
func TestUnboundKey(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Unbound: true, Methods: []string{"sbp"}})
	second := b.addCashbox(t, merchant, "RUB", "sbp", "card")
	third := b.addCashbox(t, merchant, "AZN", "c2c")
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, Method: "card"})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, Currency: "AZN", Method: "c2c"})
	b.SetRate(t, "AZN", "100", true)
	want := func(r payment.Request, cashbox int64) {
		t.Helper()
		testenv.Want(t, b.create(t, merchant.Caller, r).CashboxID, cashbox, "%s went to the cashbox", r.OrderID)
	}
	want(requestBy("first of two", "RUB", "sbp"), merchant.CashboxID)
	want(requestBy("only the second has it", "RUB", "card"), second)
	want(requestBy("by currency", "AZN", "c2c"), third)
	b.Exec(t, "update cashbox set collect_enabled = false where id = $1", merchant.CashboxID)
	want(requestBy("the first is off", "RUB", "sbp"), second)
	b.Exec(t, "update cashbox_method set enabled = false where cashbox_id = $1", second)
	for _, none := range []payment.Request{requestBy("none", "RUB", "sbp"), requestBy("never", "TRY", "c2c")} {
		testenv.Want(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, none)).Error(),
			"merchant_collect_method_disabled: The method is not enabled on the merchant's cashbox. Enabled: c2c in AZN.", "refused")
	}
	b.Audit(t)
}

func (b *bundle) addCashbox(t *testing.T, merchant dbtest.Merchant, currency string, methods ...string) int64 {
	t.Helper()
	id := b.NewCashbox(t, merchant.ID, currency, merchant.WebhookSecret)
	for _, method := range methods {
		testenv.NoError(t, b.Queries().Put(t.Context(), "cashbox_method",
			map[string]any{"cashbox_id": id, "method": method}, map[string]any{"validity_seconds": 900}))
	}
	return id
}

// A bound key's cashbox is where its payments go, whatever its merchant has
// besides.
func TestBoundKeyStaysWithItsCashbox(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"card"}})
	b.addCashbox(t, merchant, "RUB", "sbp")
	b.addCashbox(t, merchant, "AZN", "c2c")
	dbtest.WantCode(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, request("order-1"))), "merchant_collect_method_disabled")
	testenv.Want(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, requestBy("order-1", "AZN", "c2c"))).Error(),
		"merchant_collect_method_disabled: The method is not enabled on the merchant's cashbox. Enabled: card in RUB.", "refused")
}

// The first trader in turn is short, so the next one gets the payment; when all
// are, nobody does.
func TestShortTraderIsPassedBy(t *testing.T) {
	b, merchant, short := trade(t, dbtest.TraderOpts{USDT: "9.79999999", SharePercent: "2", Requisites: 3})
	exact := b.NewTrader(t, dbtest.TraderOpts{USDT: "9.8", SharePercent: "2", Requisites: 3})
	testenv.Want(t, b.create(t, merchant.Caller, request("order-1")).TraderID, exact.ID, "the payment went to trader")
	_, err := b.payments.Create(context.Background(), merchant.Caller, request("order-2"))
	dbtest.WantCode(t, err, "collect_requisites_not_available")
	b.wantMoney(t, short.ID, merchant.CashboxID, money{"9.79999999", "0", "0", "0"})
	b.wantMoney(t, exact.ID, merchant.CashboxID, money{"0", "9.8", "0", "0"})
}

// The dearest payment at the cheapest rate, and the cheapest at the dearest,
// which is worth nothing in USDT: both fit the books, through completion and
// back.
func TestExtremeAmounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount, rate string
		want         money
	}{
		// 999999999999.99 × 10⁸ to hold; of it
		// 95238095238094285714.28571428 for the merchant.
		"dearest": {"999999999999.99", "0.00000001", money{
			trader: "0", reserved: "0", cashbox: "95238095238094285714.28571428", platform: "4761904761904714285.71428572",
		}},
		"cheapest": {"1", "999999999999", money{trader: "99999999999999000000", reserved: "0", cashbox: "0", platform: "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := dbtest.TraderOpts{USDT: "99999999999999000000", Requisites: 1, MaxAmount: "999999999999.99"}
			b, merchant, trader := trade(t, o)
			b.SetRate(t, "RUB", c.rate, true)
			p := b.create(t, merchant.Caller, requestOf("order-1", c.amount))
			b.set(t, p.ID, "completed")
			b.wantMoney(t, trader.ID, merchant.CashboxID, c.want)
			b.set(t, p.ID, "failed")
			b.wantMoney(t, trader.ID, merchant.CashboxID, money{"99999999999999000000", "0", "0", "0"})
		})
	}
}

// A blocked payer gets no payment, and the refusal says neither why nor by
// whom; others do, and so does a repeat of what was made before. Nothing counts
// as a lack of requisites.
func TestBlockedPayer(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	of := func(order, user, address string) payment.Request {
		r := request(order)
		r.Payer = &payment.Payer{UserID: &user, UserIP: &address}
		return r
	}
	before := b.create(t, merchant.Caller, of("before", "u-1", "192.0.2.1"))
	for _, n := range []directory.NewBlock{
		{Kind: "user", PaymentID: before.ID, MerchantID: merchant.ID}, {Kind: "address", Value: "192.0.2.7"},
	} {
		n.Reason = "chargebacks"
		testenv.Must(settings.BlockPayer(t.Context(), operator, n))(t)
	}
	for _, r := range []payment.Request{of("user", "u-1", "192.0.2.2"), of("address", "u-2", "192.0.2.7")} {
		testenv.Want(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, r)).Error(),
			"merchant_collect_payer_blocked: The payer is blocked.", "refused")
	}
	again, err := b.payments.Create(t.Context(), merchant.Caller, of("before", "u-1", "192.0.2.1"))
	testenv.Check(t, err == nil && again.Replay, "a repeat: %+v, %v", again, err)
	b.create(t, merchant.Caller, of("other", "u-2", "192.0.2.2"))
	testenv.Must(settings.UnblockPayer(t.Context(), operator, 1, "an error"))(t)
	b.create(t, merchant.Caller, of("user", "u-1", "192.0.2.2"))
}

// requisite gives a trader one by a method, with a value.
func (b *bundle) requisite(t *testing.T, traderID int64, method, value string) int64 {
	t.Helper()
	id := testenv.Must(directory.InsertRequisite(t.Context(), b.Queries(), dbtest.Requisites(), value, db.RequisiteInsertParams{
		TraderID: traderID, Currency: "RUB", Method: method, MinAmount: decimal.NewFromInt(1),
		MaxAmount: decimal.NewFromInt(100_000), Now: dbtest.Start,
	}))(t)
	return id
}

// A phone has one reservation of an amount, whoever has it as a requisite, how
// often and by which methods: of four payments at once one gets it. Another
// phone is given to the next, another amount goes to the same phone, and the
// phone is free for another of its requisites once it is free.
func TestOneReservationOfAPhone(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	const phone = "+79995550011"
	of := map[int64]bool{}
	var traders []int64
	for _, methods := range [][]string{{"sbp", "sbp", "sim"}, {"sbp"}} {
		trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000"})
		traders = append(traders, trader.ID)
		for _, method := range methods {
			of[b.requisite(t, trader.ID, method, phone)] = true
		}
	}
	create := func(orderID, method string, amount int64) (payment.Payment, error) {
		r := requestOf(orderID, decimal.NewFromInt(amount).StringFixed(2))
		r.Method = &method
		created, err := b.payments.Create(context.Background(), merchant.Caller, r)
		return created.Payment, err
	}
	methods := []string{"sbp", "sim", "sbp", "sbp"}
	made := make([]payment.Payment, len(methods))
	errs := testenv.AtOnce(len(methods), func(i int) (err error) {
		made[i], err = create("order-"+string(rune('a'+i)), methods[i], 4444)
		return err
	})
	dbtest.WantOne(t, errs, "collect_requisites_not_available")
	first := made[slices.Index(errs, nil)]
	testenv.Want(t, *first.RequisiteValue, phone, "the phone")

	for i, method := range []string{"sbp", "sim"} {
		other := testenv.Must(create("other amount "+method, method, 4445+int64(i)))(t)
		testenv.Want(t, of[*other.RequisiteID], true, "another amount goes to the phone")
	}
	another := b.requisite(t, traders[1], "sbp", "+79995550012")
	next := testenv.Must(create("another phone", "sbp", 4444))(t)
	testenv.Want(t, *next.RequisiteID, another, "the next payment gets")

	// Once it is over, another requisite with the phone gets it, and the
	// payment that had it does not get it back.
	b.set(t, first.ID, "cancelled")
	b.clock.Advance(16 * time.Minute)
	b.Exec(t, "update requisite set enabled = false where id = any($1)", []int64{*first.RequisiteID, another})
	otherMethod := map[string]string{"sbp": "sim", "sim": "sbp"}[first.Method]
	later := testenv.Must(create("later", otherMethod, 4444))(t)
	testenv.Check(t, *later.RequisiteID != *first.RequisiteID && *later.RequisiteValue == phone,
		"requisite %d again, or %s", *later.RequisiteID, *later.RequisiteValue)
	b.set(t, first.ID, "pending")
	b.wantSlot(t, later, open)
	testenv.Want(t, b.Count(t, "select count(*) from requisite_slot where amount = 4444 and hash = "+
		"(select hash from requisite where id = "+decimal.NewFromInt(*later.RequisiteID).String()+")"), 1, "slots of the phone")
	b.Audit(t)
}
