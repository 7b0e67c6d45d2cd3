package checkout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// A card the acquirer leaves to the trader's desk, through every step of it.
// The desk offers what makes sense, and none of that is refused.
func TestDesk(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	for name, step := range b.steps(p.ID) {
		wantCode(t, name+" before the card", step(b.trader.Caller), wrongStepOf(name))
	}
	b.wantSteps(t, details, "cancel")
	b.enter(t, token, panDesk)
	b.later(t, time.Minute)
	b.want(t, token, bank, "pending", "")
	b.wantSteps(t, bank, "confirm", "request_code", "resend", "code_not_needed", "cancel")
	testenv.Want(t, testenv.Must(b.checkouts.SubmitCode(ctx, token, ""))(t).Phase, bank, "without a code")
	testenv.Must(b.checkouts.RequestCode(ctx, b.trader.Caller, p.ID))(t)
	b.want(t, token, code, "pending", "")
	b.wantSteps(t, code, "confirm", "resend", "code_not_needed", "cancel")
	dbtest.WantFields(t, testenv.ErrOf(b.checkouts.SubmitCode(ctx, token, "")), "otp") // it is asked for
	testenv.Want(t, testenv.Must(b.checkouts.SubmitCode(ctx, token, "9876"))(t).Phase, confirm, "with a code")
	wantCode(t, "a code nobody asked for", testenv.ErrOf(b.checkouts.SubmitCode(ctx, token, "9876")), "checkout_wrong_step")
	b.wantSteps(t, confirm, "confirm", "resend", "cancel")
	testenv.Must(b.checkouts.RequestResend(ctx, b.trader.Caller, p.ID))(t)
	b.want(t, token, code, "pending", "")
	b.wantSteps(t, code, "confirm", "code_not_needed", "cancel") // a resend must wait
	b.later(t, time.Second)
	testenv.Want(t, b.Count(t, "select count(*) from sandbox_acquirer where resends = 1"), 1,
		"the acquirer was not told of the resend")
	b.clock.Advance(44 * time.Second)
	b.wantSteps(t, code, "confirm", "resend", "code_not_needed", "cancel")
	testenv.Must(b.checkouts.MarkCodeNotNeeded(ctx, b.trader.Caller, p.ID))(t)
	b.want(t, token, confirm, "pending", "")
	b.wantSteps(t, confirm, "confirm", "request_code", "resend", "cancel")
	testenv.Must(b.payments.Confirm(ctx, b.trader.Caller, p.ID))(t)
	b.want(t, token, confirm, "completed", "")
	testenv.Want(t, len(testenv.Must(b.checkouts.Desk(ctx, b.trader.Caller))(t)), 0, "payments on the desk after the end")
	b.Audit(t)
}

// wrongStepOf is what a step of the desk is refused with where it makes no
// sense.
func wrongStepOf(name string) string {
	if name == "resend" {
		return "code_resend_wrong_step"
	}
	return "checkout_wrong_step"
}

var bg = context.Background()

func (b *bundle) steps(id int64) map[string]func(c caller.Caller) error {
	return map[string]func(c caller.Caller) error{
		"request": func(c caller.Caller) error { return testenv.ErrOf(b.checkouts.RequestCode(bg, c, id)) },
		"resend":  func(c caller.Caller) error { return testenv.ErrOf(b.checkouts.RequestResend(bg, c, id)) },
		"mark":    func(c caller.Caller) error { return testenv.ErrOf(b.checkouts.MarkCodeNotNeeded(bg, c, id)) },
	}
}

// On which payments the desk's steps may be taken. By whom stands in access.txt
// and foreign.txt of internal/acceptance.
func TestWhoseDesk(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Currency: "AZN", Method: "c2c", Requisites: 1})
	p, token := b.create(t, "")
	b.enter(t, token, panDesk)
	other, _ := b.createFor(t, b.merchant, "c2c", "AZN", "")
	for name, step := range b.steps(other.ID) {
		wantCode(t, name+" of a requisite payment", step(trader.Caller), wrongStepOf(name))
	}
	b.set(t, p, "failed")
	for name, step := range b.steps(p.ID) {
		wantCode(t, name+" after the end", step(b.trader.Caller), "payment_not_pending")
	}
}

// Resends of merchant and trader share their counter; the trader's are told to
// the merchant, in the events' sequence.
func TestResends(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	id := fmt.Sprint(p.ID)
	wantCode(t, "before the card", testenv.ErrOf(b.checkouts.Resend(ctx, b.merchant.Caller, id)), "code_resend_wrong_step")
	b.enter(t, token, panDesk)
	state, err := b.checkouts.Resend(ctx, b.merchant.Caller, p.UUID.String())
	if testenv.NoError(t, err); state.Phase != code || state.Resends != 1 || *state.ResentBy != "merchant" ||
		state.ResendsLeft() != 2 {
		t.Errorf("%+v", state)
	}
	wantCode(t, "the trader at once", testenv.ErrOf(b.checkouts.RequestResend(ctx, b.trader.Caller, p.ID)), "code_resend_too_early")
	b.clock.Advance(45 * time.Second)
	testenv.Must(b.checkouts.RequestResend(ctx, b.trader.Caller, p.ID))(t)
	b.clock.Advance(45 * time.Second)
	testenv.Must(b.checkouts.Resend(ctx, b.merchant.Caller, id))(t)
	wantCode(t, "the fourth", testenv.ErrOf(b.checkouts.Resend(ctx, b.merchant.Caller, id)), "code_resend_exhausted")
	b.set(t, p, "completed")
	wantCode(t, "after the end", testenv.ErrOf(b.checkouts.Resend(ctx, b.merchant.Caller, id)), "code_resend_wrong_step")

	limited := b.merchant.Caller
	limited.Scopes = []string{caller.ScopeDeposits}
	wantCode(t, "a key for deposits", testenv.ErrOf(b.checkouts.Resend(ctx, limited, id)), "merchant_scope_required")
	wantCode(t, "no such desk", testenv.ErrOf(b.checkouts.MarkCodeNotNeeded(ctx, b.trader.Caller, 1<<40)), "not_found")

	body := b.Text(t, "select convert_from(body, 'utf8') from webhook_event where sequence = 1")
	at := dbtest.Start.Add(45 * time.Second).Format("2006-01-02T15:04:05.000Z")
	want := fmt.Sprintf(
		`"createdAt":%[1]q,"id":%[2]q,"order_id":%[3]q,"data":{"id":%[2]q,"orderId":%[3]q,"status":"PENDING","amount":"10.00",`+
			`"currency":"AZN","requestedBy":"trader","quasiEcom":{"phase":"awaiting_payer_otp","codeResendCount":2,"codeResendMax":3,"attemptsLeft":1,`+
			`"codeResendLastBy":"trader","codeResendLastAt":%[1]q}},"meta":{"id":%[4]d,"method":"quasi_ecom","previousStatus":"PENDING","reason":null,"sequence":1,"receivedAmount":null}}`,
		at, p.UUID, p.OrderID, p.ID)
	testenv.Check(t, strings.HasPrefix(body, `{"type":"payment.quasi_ecom.code_resend","eventId":"`) &&
		strings.HasSuffix(body, want), "webhook %s\nwant …%s", body, want)
	testenv.Want(t, b.Text(t, "select type from webhook_event where sequence = 2"), "payment.status.updated", "the second event")
	b.Audit(t)
}

// mtstpay has the same phases, and no resends.
func TestMtstpay(t *testing.T) {
	b := setup(t)
	m := b.NewMerchant(t, dbtest.MerchantOpts{Methods: []string{"mtstpay"}})
	trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Currency: "RUB", Method: "mtstpay", Requisites: 1})
	p, token := b.createFor(t, m, "mtstpay", "RUB", "somebody")
	b.enter(t, token, panDesk)
	wantCode(t, "a resend", testenv.ErrOf(b.checkouts.Resend(t.Context(), m.Caller, fmt.Sprint(p.ID))), "code_resend_wrong_step")
	wantCode(t, "the trader's", testenv.ErrOf(b.checkouts.RequestResend(t.Context(), trader.Caller, p.ID)), "code_resend_wrong_step")
	testenv.Must(b.payments.Confirm(t.Context(), trader.Caller, p.ID))(t)
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null or kept_until is not null"), 0,
		"an mtstpay card is kept")
}

// A completed payment's card is kept for its payer, on its cashbox, for 180
// days or until they forget it.
func TestPrefill(t *testing.T) {
	b := setup(t)
	saved := func(user string) *checkout.View {
		_, token := b.create(t, user)
		v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
		if v.Saved == nil {
			return nil
		}
		return &v
	}
	pay := func(user, pan string, end func(p payment.Payment)) {
		p, token := b.create(t, user)
		b.enterKept(t, token, pan)
		end(p)
	}
	complete := func(p payment.Payment) { b.set(t, p, "completed") }
	pay("anna", panDesk, func(p payment.Payment) { b.set(t, p, "failed") })
	testenv.Check(t, saved("anna") == nil, "the card of a failed payment is offered")
	pay("anna", panApproved, complete)
	pay("", panDesk, complete)
	v := saved("anna")
	testenv.Need(t, v != nil && v.Saved.Last4 == "4242" && v.Saved.Brand == "visa" && *v.Saved.Holder == "ANNA B" &&
		v.Saved.Card.Expiry.Month() == 12 && v.Saved.Card.Expiry.Year() == 2030, "saved %+v", v)
	testenv.Check(t, saved("boris") == nil && saved("") == nil, "another's card is offered")
	elsewhere := b.NewMerchant(t, dbtest.MerchantOpts{Currency: "AZN", Methods: []string{"quasi_ecom"}})
	_, token := b.createFor(t, elsewhere, "quasi_ecom", "AZN", "anna")
	testenv.Check(t, testenv.Must(b.checkouts.Get(t.Context(), token))(t).Saved == nil, "offered on another cashbox")
	_, err := b.checkouts.SubmitDetails(t.Context(), token,
		checkout.Details{Saved: true, SavedID: v.Saved.ID, CVV: "123"})
	wantCode(t, "a card that is not saved", err, "validation_failed")
	// The page pays with it, and the CVV alone.
	_, token = b.create(t, "anna")
	bySaved := func(cvv string) error {
		return testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, checkout.Details{Saved: true, SavedID: v.Saved.ID, CVV: cvv}))
	}
	dbtest.WantFields(t, bySaved("12"), "cvv")
	testenv.NoError(t, bySaved("123"))
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	// A later card replaces it, and none of another payer or cashbox.
	pay("boris", panNoFunds, complete)
	b.Exec(t, "update payment_card set cashbox_id = 0 where payer_user_id = 'boris'") // another of the merchant
	pay("boris", panCode, complete)
	pay("boris", panCode, func(p payment.Payment) { b.set(t, p, "failed") })
	pay("anna", panDesk, complete)
	testenv.NoError(t, b.checkouts.Prune(t.Context()))
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 3, "cards are kept")
	v = saved("anna")
	testenv.Check(t, v != nil && v.Saved.Last4 == "1111", "saved %+v", v)
	b.clock.Advance(180*24*time.Hour + time.Minute)
	testenv.Check(t, saved("anna") == nil, "offered after 180 days")
	testenv.NoError(t, b.checkouts.Prune(t.Context()))
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 0, "kept after 180 days")
	pay("anna", panApproved, complete)
	b.Exec(t, "update payment_card set cashbox_id = 0 where pan is not null") // another of the merchant
	pay("anna", panDesk, complete)
	pay("boris", panApproved, complete)
	_, token = b.create(t, "anna")
	testenv.NoError(t, b.checkouts.ForgetCard(t.Context(), token))
	testenv.Check(t, saved("anna") == nil && saved("boris") != nil, "not forgotten, or another's is")
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 2, "cards of others are kept")
	// A completed payment taken back keeps no card.
	pay("anna", panDesk, func(p payment.Payment) { complete(p); b.set(t, p, "failed") })
	testenv.Check(t, saved("anna") == nil, "the card of a payment taken back is offered")
}

// A payer who has their card forgotten while a payment by it is being made has
// no card kept of that payment either.
func TestForgottenWhileCharged(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "anna")
	b.enterKept(t, token, panApproved)
	b.later(t, time.Second)
	_, charged := b.create(t, "anna")
	v := testenv.Must(b.checkouts.Get(t.Context(), charged))(t)
	testenv.Must(b.checkouts.SubmitDetails(t.Context(), charged, checkout.Details{Saved: true, SavedID: v.Saved.ID, CVV: "123"}))(t)
	_, other := b.create(t, "boris")
	b.enterKept(t, other, panApproved)
	_, token = b.create(t, "anna")
	testenv.NoError(t, b.checkouts.ForgetCard(t.Context(), token))
	b.later(t, time.Second)
	b.want(t, charged, bank, "completed", "")
	v = testenv.Must(b.checkouts.Get(t.Context(), token))(t)
	testenv.Check(t, v.Saved == nil, "the card that was forgotten is offered: %+v", v.Saved)
	testenv.Want(t, b.Text(t, "select string_agg(payer_user_id, ' ') from payment_card where pan is not null"), "boris", "cards are kept of")
}

// A kept card is not offered, nor charged, once it has expired.
func TestSavedCardExpires(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "anna")
	now := b.clock.Now().UTC()
	kept := typed(panApproved)
	kept.Keep, kept.ExpMonth, kept.ExpYear = true, now.Format("01"), now.Format("2006")
	testenv.Must(b.checkouts.SubmitDetails(t.Context(), token, kept))(t)
	b.later(t, time.Second)
	_, token = b.create(t, "anna")
	saved := testenv.Must(b.checkouts.Get(t.Context(), token))(t).Saved
	testenv.Need(t, saved != nil, "a card in its last month is not offered")
	b.clock.Advance(31 * 24 * time.Hour)
	_, token = b.create(t, "anna")
	testenv.Check(t, testenv.Must(b.checkouts.Get(t.Context(), token))(t).Saved == nil, "a card that has expired is offered")
	charge := checkout.Details{Saved: true, SavedID: saved.ID, CVV: "123"}
	dbtest.WantFields(t, testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, charge)), "pan")
}

// Ten different cards declined in an hour from one address on one cashbox are
// the limit, and others do not count; what is kept of them are hashes.
func TestManyCards(t *testing.T) {
	b := setup(t)
	enter := func(pan, address string) error {
		_, token := b.create(t, "")
		d := typed(pan)
		d.Address = address
		return testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, d))
	}
	pans := []string{
		"4000000000000010", "4000000000000028", "4000000000000036", "4000000000000044", "4000000000000051",
		"4000000000000069", "4000000000000077", "4000000000000085", "4000000000000093", "4000000000000101",
		"4000000000000119",
	}
	for _, pan := range pans { // none is declined
		testenv.NoError(t, enter(pan, "192.0.2.1"))
	}
	b.line.declines.Store(true)
	for _, pan := range pans[:10] {
		testenv.NoError(t, enter(pan, "192.0.2.1"))
	}
	testenv.NoError(t, enter(pans[3], "192.0.2.1"))
	testenv.NoError(t, b.checkouts.Prune(t.Context()))
	err := enter(pans[10], "192.0.2.1")
	wantCode(t, "the eleventh", err, "rate_limited")
	wait := fault.As(err).RetryAfter
	testenv.Check(t, wait >= 59*time.Minute && wait <= time.Hour, "to wait %s", wait)
	testenv.NoError(t, enter(pans[10], "192.0.2.2"))
	b.Exec(t, "update card_declined set at = at - interval '61 minutes'")
	testenv.NoError(t, enter(pans[10], "192.0.2.1"))
	for _, table := range []string{"card_declined", "payment_card", "card_attempt", "sandbox_acquirer", "checkout"} {
		for _, pan := range pans {
			query := "select count(*) from " + table + " t where t::text like '%' || $1 || '%' or t::text like '%' || encode($1::bytea, 'hex') || '%'"
			testenv.Want(t, b.Count(t, query, pan), 0, "%s holds a PAN", table)
		}
	}
}

// One card is tried five times, whatever the payment and the address, also at
// once: a sixth try is refused until the first is forgotten. What the bank said
// yes to was none.
func TestOneCardIsGuessedAt(t *testing.T) {
	b := setup(t)
	enter := func(pan string, n int) error {
		_, token := b.create(t, "")
		d := typed(pan)
		d.Address = fmt.Sprintf("192.0.2.%d", n)
		return testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, d))
	}
	for n := range 5 {
		testenv.NoError(t, enter(panDeclined, n))
	}
	wantCode(t, "a sixth at once", enter(panDeclined, 6), "rate_limited")
	b.later(t, time.Second)
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt where status = 'declined'"), 5, "attempts")
	wantCode(t, "a sixth later", enter(panDeclined, 7), "rate_limited")
	b.Exec(t, "update failure_count set free_at = free_at - interval '1 hour'")
	testenv.NoError(t, enter(panDeclined, 8))
	for n := range 12 {
		testenv.NoError(t, enter(panApproved, n))
		b.later(t, time.Second)
	}
}

// A kept card that cannot be opened is not offered, and keeps nobody from
// typing another.
func TestSavedCardUnreadable(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "anna")
	b.enterKept(t, token, panApproved)
	b.later(t, time.Second)
	b.Exec(t, "update payment_card set pan = pan || 'x'")
	_, token = b.create(t, "anna")
	v, err := b.checkouts.Get(t.Context(), token)
	testenv.Check(t, err == nil && v.Saved == nil, "%+v, %v", v.Saved, err)
	b.enter(t, token, panApproved)
}

// Whose a call is, is settled before anything else is looked at.
func TestKindsOfCallers(t *testing.T) {
	b := setup(t)
	dbtest.WantKinds(t, b.checkouts, map[string]string{
		"merchant_key":                    "Resend",
		"trader":                          "Desk RequestCode RequestResend MarkCodeNotNeeded",
		"trader merchant_portal operator": "Payment",
		"operator":                        "ListConflicts GetConflict CloseConflict",
	})
}

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

// A trader reads one payment with the steps that the desk offers for it, and
// without any once it has ended. Its merchant is offered none, and another
// trader finds nothing.
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
	seen := testenv.Must(b.checkouts.Payment(t.Context(), b.merchant.User(caller.Owner), name))(t)
	testenv.Want(t, len(seen.Steps), 0, "steps for the merchant")
	testenv.Must(b.checkouts.Payments.Cancel(t.Context(), b.trader.Caller, p.ID, nil))(t)
	one = testenv.Must(b.checkouts.Payment(t.Context(), b.trader.Caller, name))(t)
	testenv.Check(t, len(one.Steps) == 0 && one.Status == "cancelled", "ended: %v, %s", one.Steps, one.Status)
	other := b.NewTrader(t, dbtest.TraderOpts{}).Caller
	wantCode(t, "another trader", testenv.ErrOf(b.checkouts.Payment(t.Context(), other, name)), "not_found")
}
