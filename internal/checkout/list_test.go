package checkout_test

import (
	"fmt"
	"testing"

	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// wantSteps wants what the trader can do about the only payment on their desk.
func (b *bundle) wantSteps(t *testing.T, phase checkout.Phase, want ...checkout.Step) {
	t.Helper()
	list := testenv.Must(b.checkouts.Desk(t.Context(), b.trader.Caller))(t)
	testenv.Check(t, len(list) == 1 && list[0].Phase == phase && fmt.Sprint(list[0].Steps) == fmt.Sprint(want),
		"%+v, want %s %v", list, phase, want)
}

// A transfer has no checkout, and mtstpay no resend.
func TestStepsByMethod(t *testing.T) {
	b := setup(t)
	m := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"sbp", "mtstpay"}})
	for method, want := range map[string]string{
		"sbp": "[confirm cancel]", "mtstpay": "[confirm request_code code_not_needed cancel]",
	} {
		b.trader = b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Method: method, Requisites: 1})
		_, token := b.createFor(t, m, method, "RUB", "")
		if method == "mtstpay" {
			b.enter(t, token, panDesk)
		}
		list := testenv.Must(b.checkouts.Desk(t.Context(), b.trader.Caller))(t)
		testenv.Check(t, len(list) == 1 && fmt.Sprint(list[0].Steps) == want, "%s: %+v", method, list)
	}
	nobody := b.trader.Caller
	nobody.Role = ""
	wantCode(t, "without a role", testenv.ErrOf(b.checkouts.Desk(t.Context(), nobody)), "role_not_allowed")
}

// A desk's stamp changes with whatever the desk shows, and with nothing else.
func TestDeskStamps(t *testing.T) {
	b := setup(t)
	other := b.NewTrader(t, dbtest.TraderOpts{})
	p, token := payment.Payment{}, ""
	stamps := func() map[int64]uint64 {
		got := testenv.Must(b.checkouts.DeskStamps(t.Context(), []int64{b.trader.ID, other.ID}))(t)
		testenv.Need(t, len(got) == 2, "%d stamps", len(got))
		return got
	}
	last := stamps()
	seen := map[uint64]string{last[b.trader.ID]: "before"}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"payment", func() error { p, token = b.create(t, ""); return nil }},
		{"card", func() error { b.enter(t, token, panDesk); return nil }},
		{"code asked for", func() error { return testenv.ErrOf(b.checkouts.RequestCode(t.Context(), b.trader.Caller, p.ID)) }},
		{"code", func() error { return testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "9876")) }},
		{"resend", func() error { return testenv.ErrOf(b.checkouts.RequestResend(t.Context(), b.trader.Caller, p.ID)) }},
		{"receipt", func() error {
			return testenv.ErrOf(b.Pool.Exec(t.Context(), `insert into payment_receipt values ($1, $2, 1, 'a', 'image/png', 1, now())`,
				p.MerchantID, p.ID))
		}},
		{"claim", func() error {
			return testenv.ErrOf(b.Queries().PaymentClaim(t.Context(), db.PaymentClaimParams{
				MerchantID: p.MerchantID, ID: p.ID, Now: dbtest.Start, Until: dbtest.Start,
			}))
		}},
		{"second payment", func() error { b.create(t, ""); return nil }},
		{"break", func() error {
			return testenv.ErrOf(b.Pool.Exec(t.Context(), "update trader set on_break = true where id = $1", b.trader.ID))
		}},
		{"end", func() error { b.set(t, p, "failed"); return nil }},
	} {
		again := stamps()
		testenv.Check(t, again[b.trader.ID] == last[b.trader.ID], "before %s: the stamp changes by itself", step.name)
		testenv.NoError(t, step.do())
		now := stamps()
		before, known := seen[now[b.trader.ID]]
		testenv.Check(t, !known, "%s: the stamp is that of %q", step.name, before)
		testenv.Want(t, now[other.ID], last[other.ID], "%s: another's stamp has changed", step.name)
		seen[now[b.trader.ID]], last = step.name, now
	}
}

// A trader reads one payment with the steps that the desk offers for it, and without any once it has
// ended. Another trader finds nothing.
func TestPayment(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "")
	b.enter(t, token, panDesk)
	name := fmt.Sprint(p.ID)
	desk := testenv.Must(b.checkouts.Desk(t.Context(), b.trader.Caller))(t)
	one := testenv.Must(b.checkouts.Payment(t.Context(), b.trader.Caller, name))(t)
	testenv.Check(t, len(desk) == 1 && len(one.Steps) != 0 &&
		fmt.Sprint(one.Steps, one.Phase) == fmt.Sprint(desk[0].Steps, desk[0].Phase), "got %v at %s, want as in %+v",
		one.Steps, one.Phase, desk)
	testenv.Must(b.checkouts.Payments.Cancel(t.Context(), b.trader.Caller, p.ID, nil))(t)
	one = testenv.Must(b.checkouts.Payment(t.Context(), b.trader.Caller, name))(t)
	testenv.Check(t, len(one.Steps) == 0 && one.Status == "cancelled", "ended: %v, %s", one.Steps, one.Status)
	other := b.NewTrader(t, dbtest.TraderOpts{}).Caller
	wantCode(t, "another trader", testenv.ErrOf(b.checkouts.Payment(t.Context(), other, name)), "not_found")
}
