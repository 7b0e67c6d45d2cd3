package checkout_test

import (
	"strings"
	"testing"
	"time"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/checkout"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// Three cards may be tried. The first two that are declined leave the payment
// waiting for another, of the declined one only brand and last four digits are
// left, and no webhook is sent; the third fails the payment. Each is an attempt
// of its own, and a form filled in wrongly is none.
func TestAnotherCard(t *testing.T) {
	b := setup(t)
	p, token := b.create(t, "anna")
	wrongForm := func() {
		t.Helper()
		wrong := typed(panApproved)
		wrong.CVV, wrong.PAN = "12", "4242424242424241"
		wantCode(t, "a form filled in wrongly", testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, wrong)), "validation_failed")
	}
	for n, try := range []struct{ pan, reason string }{
		{panDeclined, "card_declined"}, {panNoFunds, "insufficient_funds"},
	} {
		wrongForm()
		b.want(t, token, details, "pending", []string{"", "card_declined"}[n])
		v := b.enter(t, token, try.pan)
		testenv.Check(t, v.LastError == nil && v.Phase == bank, "card %d: %+v", n+1, v.State)
		b.later(t, time.Second)
		b.want(t, token, details, "pending", try.reason)
		v = testenv.Must(b.checkouts.Get(t.Context(), token))(t)
		testenv.Check(t, !v.Terminal && v.Card != nil && v.Card.Brand == "visa" && v.Card.Last4 == try.pan[12:] &&
			v.Card.Holder == nil, "after card %d: terminal %t, card %+v", n+1, v.Terminal, v.Card)
		testenv.Check(t, v.CardsLeft == 2-n && !v.Checking,
			"after card %d: %d left, checking %t", n+1, v.CardsLeft, v.Checking)
		testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 0,
			"the number of a declined card is still there")
		wantCode(t, "a code without a card", testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "123456")), "checkout_wrong_step")
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 0, "webhooks")
	wrongForm()
	b.tried(t, token, panDeclined)
	b.want(t, token, bank, "failed", "card_declined")
	failed := testenv.Must(b.payments.ByUUID(t.Context(), p.UUID))(t)
	testenv.Check(t, failed.StatusReason != nil && *failed.StatusReason == "card_declined",
		"failed for %v", failed.StatusReason)
	body := b.Text(t, "select convert_from(body, 'utf8') from webhook_event")
	testenv.Check(t, strings.Contains(body, `"status":"FAILED"`) &&
		strings.Contains(body, `"reason":"card_declined","sequence":1,"receivedAmount":null}`), "webhook %s", body)
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt where status = 'declined'"), 3, "attempts")
	testenv.Want(t, b.Count(t, "select count(*) from card_declined"), 2,
		"declined cards are counted against the address, want the two that differ")
	wantCode(t, "a fourth card", testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, typed(panApproved))), "checkout_closed")
	b.Audit(t)
}

// A payment that ends while it waits for another card stays at that step.
func TestEndedAfterADecline(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	_, cancelled := b.create(t, "")
	_, expired := b.create(t, "")
	for _, token := range []string{cancelled, expired} {
		b.enter(t, token, panDeclined)
	}
	b.later(t, time.Second)
	testenv.Must(b.checkouts.Cancel(t.Context(), cancelled))(t)
	b.want(t, cancelled, details, "cancelled", "card_declined")
	b.clock.Advance(15 * time.Minute)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	b.want(t, expired, details, "failed", "card_declined")
	b.later(t, time.Minute)
	testenv.Want(t, b.Count(t, voidedCards), 0, "declined charges are undone")
	b.Audit(t)
}

// The setting of the cashbox's method is how many cards may be tried, as it is
// when one is declined.
func TestHowManyCards(t *testing.T) {
	b := setup(t)
	b.tries(t, 1)
	_, token := b.create(t, "")
	b.tried(t, token, panNoFunds)
	b.want(t, token, bank, "failed", "insufficient_funds")
	b.tries(t, 5)
	_, token = b.create(t, "")
	b.tried(t, token, panNoFunds)
	b.tries(t, 2)
	_, _ = b.create(t, "") // the service learns of the setting
	b.tried(t, token, panNoFunds)
	b.want(t, token, bank, "failed", "insufficient_funds")
	b.Audit(t)
}

// A payment that its last card failed takes one more when it is set back to
// pending, and says so.
func TestSetBackAfterTheLastCard(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	b.tries(t, 2)
	p, token := b.create(t, "")
	decline := func() { b.tried(t, token, panDeclined) }
	wantLeft := func(want int) {
		t.Helper()
		testenv.Want(t, testenv.Must(b.checkouts.Get(t.Context(), token))(t).CardsLeft, want, "cards left")
	}
	wantLeft(2)
	decline()
	wantLeft(1)
	decline()
	b.want(t, token, bank, "failed", "card_declined")
	for range 2 {
		wantLeft(0)
		b.set(t, p, "pending")
		b.want(t, token, details, "pending", "card_declined")
		wantLeft(1)
		decline()
		b.want(t, token, bank, "failed", "card_declined")
	}
	b.set(t, p, "pending")
	b.pay(t, token)
	b.Audit(t)
}

// The payer has the code sent again by the rules of a merchant's resend,
// counted with those of merchant and trader. The acquirer is told, and the
// merchant is not.
func TestResendByPayer(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	ctx := t.Context()
	p, token := b.create(t, "")
	resend := func() error { return b.checkouts.ResendByPayer(ctx, token) }
	wantCode(t, "before the card", resend(), "code_resend_wrong_step")
	b.tried(t, token, panDesk)
	testenv.NoError(t, resend())
	b.want(t, token, code, "pending", "")
	v := testenv.Must(b.checkouts.Get(ctx, token))(t)
	testenv.Check(t, v.Resends == 1 && *v.ResentBy == "merchant" && v.ResentAt.Equal(b.clock.Now()) &&
		v.ResendsLeft() == 2, "%+v", v.State)
	b.later(t, time.Second)
	testenv.Want(t, b.Count(t, "select count(*) from sandbox_acquirer where resends = 1"), 1,
		"the acquirer was not told of the resend")
	b.clock.Advance(44 * time.Second)
	testenv.Must(b.checkouts.RequestResend(ctx, b.trader.Caller, p.ID))(t)
	wantCode(t, "after the trader", resend(), "code_resend_too_early")
	b.clock.Advance(45 * time.Second)
	testenv.NoError(t, resend())
	wantCode(t, "the fourth", resend(), "code_resend_exhausted")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event"), 1, "webhooks")
	// After a declined card there is no code to send.
	_, declined := b.create(t, "")
	b.tried(t, declined, panDeclined)
	wantCode(t, "after a declined card", b.checkouts.ResendByPayer(ctx, declined), "code_resend_wrong_step")
	// The payer's steps end with the payment, and with its time.
	_, cancelled := b.create(t, "")
	b.enter(t, cancelled, panDesk)
	testenv.Must(b.checkouts.Cancel(ctx, cancelled))(t)
	wantCode(t, "after the end", b.checkouts.ResendByPayer(ctx, cancelled), "checkout_closed")
	_, late := b.create(t, "")
	b.enter(t, late, panDesk)
	b.clock.Advance(15 * time.Minute)
	wantCode(t, "after its time", b.checkouts.ResendByPayer(ctx, late), "checkout_closed")
	b.Audit(t)
}

// Without the payer's consent nobody can tell whose card it was, and it is
// erased with the payment. Of several cards the last one's consent counts, and
// a card already kept stays kept.
func TestKeepOnlyWithConsent(t *testing.T) {
	b := setup(t)
	offered := func(user string) checkout.View {
		t.Helper()
		_, token := b.create(t, user)
		return testenv.Must(b.checkouts.Get(t.Context(), token))(t)
	}
	wantOffered := func(what, user, last4 string) {
		t.Helper()
		got := ""
		if v := offered(user); v.Saved != nil {
			got = v.Saved.Last4
		}
		testenv.Want(t, got, last4, "%s: the card offered", what)
	}
	testenv.Check(t, offered("anna").MayKeep && !offered("").MayKeep, "only a card of a payer who is named may be kept")
	_, token := b.create(t, "anna")
	b.pay(t, token)
	wantOffered("without consent", "anna", "")
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null or payer_user_id is not null"), 0,
		"a card without consent is kept, or known to be the payer's")
	_, token = b.create(t, "boris")
	b.enterKept(t, token, panDeclined)
	b.later(t, time.Second)
	b.tried(t, token, panApproved)
	wantOffered("consent to the first card, and not to the second", "boris", "")
	_, token = b.create(t, "boris")
	b.tried(t, token, panDeclined)
	b.enterKept(t, token, panApproved)
	b.later(t, time.Second)
	wantOffered("consent to the second card", "boris", "4242")
	// Paid with the kept card, it stays kept without being consented to
	// again; a new one without consent takes nothing away.
	p, token := b.create(t, "boris")
	v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
	saved := checkout.Details{Saved: true, SavedID: v.Saved.ID, CVV: "123"}
	testenv.Must(b.checkouts.SubmitDetails(t.Context(), token, saved))(t)
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where payment_id = $1 and kept_until is not null", p.ID), 1,
		"kept cards that are kept still")
	_, token = b.create(t, "boris")
	b.enter(t, token, "5555555555554444")
	b.later(t, time.Second)
	wantOffered("another card without consent", "boris", "4242")
	b.Audit(t)
}

// A payment that ended unpaid is being checked until it is known that its card
// is not charged.
func TestChecking(t *testing.T) {
	b := setup(t)
	entered := func() (payment.Payment, string) {
		p, token := b.create(t, "")
		b.enter(t, token, panDesk)
		return p, token
	}
	want := func(what, token, status string, checking bool) {
		t.Helper()
		v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
		testenv.Check(t, string(v.Payment.Status) == status && v.Checking == checking,
			"%s: %s, checking %t; want %s, %t", what, v.Payment.Status, v.Checking, status, checking)
	}
	_, token := entered()
	want("pending", token, "pending", false)
	v := testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
	testenv.Check(t, v.Checking, "the answer to the cancel does not say that the card is checked")
	want("cancelled", token, "cancelled", true)
	b.later(t, time.Second)
	want("voided", token, "cancelled", false)

	_, token = entered()
	b.clock.Advance(15 * time.Minute)
	want("its time is over", token, "pending", true)
	testenv.Must(b.payments.Expire(t.Context()))(t)
	want("expired", token, "failed", true)
	b.later(t, 15*time.Second)
	want("expired and voided", token, "failed", false)

	_, token = b.create(t, "")
	testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
	want("cancelled without a card", token, "cancelled", false)

	b.tries(t, 1)
	_, token = b.create(t, "")
	b.tried(t, token, panDeclined)
	want("declined", token, "failed", false)

	for answer, checking := range map[acquirer.State]bool{acquirer.Declined: false, acquirer.Approved: true} {
		_, token = entered()
		testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
		b.line.voids.Store(&acquirer.Answer{State: answer, Reason: acquirer.CardDeclined})
		b.later(t, time.Second)
		want("the void is answered "+string(answer), token, "cancelled", checking)
	}
	b.wantConflicts(t, 1, "at the end")
	b.line.voids.Store(nil)

	// A charge that completed a payment is being checked again once that is
	// taken back.
	p, token := b.create(t, "")
	b.tried(t, token, panApproved)
	want("paid", token, "completed", false)
	b.set(t, p, "failed")
	want("taken back", token, "failed", true)
	b.later(t, time.Minute)
	want("taken back and voided", token, "failed", false)
	b.Audit(t)
}
