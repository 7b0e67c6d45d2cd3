package payment_test

import (
	"context"
	"testing"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// The same order id is another payment on another channel and of another merchant.
func TestOrderIDsAreSeparate(t *testing.T) {
	b := setup(t)
	first, second := b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	for _, method := range []string{"sbp", "sim", "card"} {
		b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 2, Method: method})
	}
	seen := map[int64]bool{}
	for _, merchant := range []dbtest.Merchant{first, second} {
		for _, method := range []string{"sbp", "sim", "card"} {
			r := request("order-1")
			r.Method = &method
			p := b.create(t, merchant.Caller, r)
			if seen[p.ID] || p.MerchantID != merchant.ID || p.CashboxID != merchant.CashboxID || p.Method != method {
				t.Errorf("%+v", p)
			}
			seen[p.ID] = true
		}
	}
	b.Audit(t)
}

// rubCollect.method wins over the root method: for the channel, the requisite and the cashbox method alike.
func TestRubCollectWins(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"card"}})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1, Method: "card"})
	r := request("order-1")
	r.Method, r.RubCollectMethod = new("sim"), new("card")
	if p := b.create(t, merchant.Caller, r); p.Method != "card" || *p.RequisiteType != "card" {
		t.Errorf("%s, %s", p.Method, *p.RequisiteType)
	}
	for _, again := range [][2]*string{{new("card"), nil}, {nil, new("card")}} {
		r.Method, r.RubCollectMethod = again[0], again[1]
		testenv.Want(t, must(b.payments.Create(t.Context(), merchant.Caller, r))(t).Replay, true, "the channel is the same")
	}
}

// A key without a cashbox of its own uses the first of its merchant's that is on for currency and method.
func TestUnboundKey(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Unbound: true, Methods: []string{"sbp"}})
	second := b.addCashbox(t, merchant, "RUB", "sbp", "card")
	third := b.addCashbox(t, merchant, "AZN", "c2c")
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, Method: "card"})
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 9, Currency: "AZN", Method: "c2c"})
	b.SetRate(t, "AZN", "100", true)
	ask := func(order, currency, method string) payment.Request {
		r := request(order)
		r.Currency, r.Method = currency, &method
		return r
	}
	want := func(r payment.Request, cashbox int64) {
		t.Helper()
		testenv.Want(t, b.create(t, merchant.Caller, r).CashboxID, cashbox, "%s went to the cashbox", r.OrderID)
	}
	want(ask("first of two", "RUB", "sbp"), merchant.CashboxID)
	want(ask("only the second has it", "RUB", "card"), second)
	want(ask("by currency", "AZN", "c2c"), third)
	b.Exec(t, "update cashbox set collect_enabled = false where id = $1", merchant.CashboxID)
	want(ask("the first is off", "RUB", "sbp"), second)
	b.Exec(t, "update cashbox_method set enabled = false where cashbox_id = $1", second)
	for _, none := range []payment.Request{ask("none", "RUB", "sbp"), ask("never", "TRY", "c2c")} {
		testenv.Want(t, errOf(b.payments.Create(t.Context(), merchant.Caller, none)).Error(),
			"merchant_collect_method_disabled: The method is not enabled on the merchant's cashbox. Enabled: c2c in AZN.", "refused")
	}
	b.Audit(t)
}

func (b *bundle) addCashbox(t *testing.T, merchant dbtest.Merchant, currency string, methods ...string) int64 {
	t.Helper()
	ctx, q := context.Background(), b.Queries()
	id := must(q.CashboxInsert(ctx, db.CashboxInsertParams{
		MerchantID: merchant.ID, Name: "Another", Currency: currency, WebhookSecret: []byte{}, CreatedAt: dbtest.Start,
	}))(t)
	noError(t, ledger.Open(ctx, q, ledger.Cashbox, id))
	for _, method := range methods {
		err := q.CashboxMethodSet(ctx,
			db.CashboxMethodSetParams{CashboxID: id, Method: method, Enabled: true, ValiditySeconds: 900})
		noError(t, err)
	}
	return id
}

// A bound key's cashbox is where its payments go, whatever its merchant has besides.
func TestBoundKeyStaysWithItsCashbox(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"card"}})
	b.addCashbox(t, merchant, "RUB", "sbp")
	b.addCashbox(t, merchant, "AZN", "c2c")
	r := request("order-1")
	wantCode(t, errOf(b.payments.Create(context.Background(), merchant.Caller, r)), "merchant_collect_method_disabled")
	r.Currency, r.Method = "AZN", new("c2c")
	testenv.Want(t, errOf(b.payments.Create(t.Context(), merchant.Caller, r)).Error(),
		"merchant_collect_method_disabled: The method is not enabled on the merchant's cashbox. Enabled: card in RUB.", "refused")
}

// The first trader in turn is short, so the next one gets the payment; when all are, nobody does.
func TestShortTraderIsPassedBy(t *testing.T) {
	b, merchant, short := trade(t, dbtest.TraderOpts{USDT: "9.79999999", SharePercent: "2", Requisites: 3})
	exact := b.NewTrader(t, dbtest.TraderOpts{USDT: "9.8", SharePercent: "2", Requisites: 3})
	testenv.Want(t, b.create(t, merchant.Caller, request("order-1")).TraderID, exact.ID, "the payment went to trader")
	_, err := b.payments.Create(context.Background(), merchant.Caller, request("order-2"))
	wantCode(t, err, "collect_requisites_not_available")
	b.wantMoney(t, short.ID, merchant.CashboxID,
		money{trader: "9.79999999", reserved: "0", cashbox: "0", platform: "0"})
	b.wantMoney(t, exact.ID, merchant.CashboxID, money{trader: "0", reserved: "9.8", cashbox: "0", platform: "0"})
	b.Audit(t)
}

// The dearest payment at the cheapest rate, and the cheapest at the dearest, which is worth nothing
// in USDT: both fit the books, through completion and back.
func TestExtremeAmounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount, rate string
		want         money
	}{
		// 999999999999.99 × 10⁸ to hold; of it 95238095238094285714.28571428 for the merchant.
		"dearest": {"999999999999.99", "0.00000001", money{
			trader: "0", reserved: "0", cashbox: "95238095238094285714.28571428", platform: "4761904761904714285.71428572",
		}},
		"cheapest": {"1", "999999999999", money{trader: "99999999999999000000", reserved: "0", cashbox: "0", platform: "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := dbtest.TraderOpts{USDT: "99999999999999000000", Requisites: 1, MaxAmount: "999999999999.99"}
			b, merchant, trader := trade(t, o)
			b.SetRate(t, "RUB", c.rate, true)
			r := request("order-1")
			r.Amount = c.amount
			p := b.create(t, merchant.Caller, r)
			b.set(t, p.ID, "completed")
			b.wantMoney(t, trader.ID, merchant.CashboxID, c.want)
			b.set(t, p.ID, "failed")
			b.wantMoney(t, trader.ID, merchant.CashboxID,
				money{trader: "99999999999999000000", reserved: "0", cashbox: "0", platform: "0"})
			b.Audit(t)
		})
	}
}
