package checkout_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/block"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

const (
	details = checkout.AwaitingDetails
	bank    = checkout.AwaitingBank
	code    = checkout.AwaitingCode
	confirm = checkout.AwaitingConfirm
)

// An approved card: phases, money, what is kept of the card, and the merchant's
// webhook.
func TestApproved(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	p, token := b.create(t, "")
	testenv.Check(t, !p.RequisiteSnapshot() && p.RequisiteValue == nil &&
		b.Count(t, "select count(*) from requisite_slot") == 0, "a requisite is shown, or a slot taken: %+v", p)
	// 10 AZN at 2 without a markup are 5 USDT.
	testenv.Want(t, b.Balance(t, ledger.Reserved(ledger.Trader, b.trader.ID)).String(), "5", "held")
	v := b.enter(t, token, panApproved)
	testenv.Check(t, v.Phase == bank && !v.Terminal, "after the card: %+v", v.State)
	b.later(t, time.Second)
	b.want(t, token, bank, "completed", "")
	testenv.Want(t, b.Balance(t, ledger.Available(ledger.Cashbox, b.merchant.CashboxID)).String(), "5", "the cashbox has")
	testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is null and expiry is null and last4 = '4242'"), 1,
		"cards of an ended payment that are erased")
	testenv.Want(t, b.Count(t, "select count(*) from payment_history where actor = 'acquirer' and to_status = 'completed'"), 1,
		"lines of the history that say who completed it")
	body := b.Text(t, "select convert_from(body, 'utf8') from webhook_event")
	testenv.Check(t, strings.Contains(body, `"status":"COMPLETED","amount":"10.00","currency":"AZN",`+
		`"payerRequisites":{"cardLast4":"4242","cardHolder":"ANNA B"}}`), "webhook %s", body)
	wantCode(t, "a card after the end", testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, typed(panApproved))), "checkout_closed")
	wantCode(t, "no code after the end", testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "")), "checkout_closed")
	wantCode(t, "a cancel after the end", testenv.ErrOf(b.checkouts.Cancel(t.Context(), token)), "checkout_closed")
	b.Audit(t)
}

// Any number of payments of one amount go to one desk, the desk used longest
// ago first.
func TestDesksHaveNoSlots(t *testing.T) {
	b := setup(t)
	used := map[int64]int{}
	for range 6 {
		p, _ := b.create(t, "")
		used[*p.RequisiteID]++
		b.clock.Advance(time.Second)
	}
	for id, times := range used {
		testenv.Want(t, times, 3, "times that desk %d was used", id)
	}
	b.Audit(t)
}

func TestTenCardsAtOnce(t *testing.T) {
	b := setup(t)
	_, token := b.create(t, "")
	errs := testenv.AtOnce(10, func(int) error {
		return testenv.ErrOf(b.checkouts.SubmitDetails(context.Background(), token, typed(panDesk)))
	})
	taken := 0
	for _, err := range errs {
		if err == nil {
			taken++
			continue
		}
		if f := fault.As(err); f == nil || f.Code != "rate_limited" { // tries of one card are bounded, too
			wantCode(t, "another card", err, "checkout_wrong_step")
		}
	}
	n := b.Count(t, "select count(*) from sandbox_acquirer")
	testenv.Check(t, taken == 1 && n == 1, "%d cards taken, %d at the acquirer", taken, n)
}

// A form that is sent many times at once tries its card once, though that is
// declined before the others are looked at.
func TestOneFormAtOnce(t *testing.T) {
	b := setup(t)
	b.tries(t, 3)
	b.line.declines.Store(true)
	_, token := b.create(t, "")
	form := typed(panDeclined)
	form.After = testenv.Must(b.checkouts.Get(t.Context(), token))(t).AttemptID.String()
	errs := testenv.AtOnce(4, func(int) error { return testenv.ErrOf(b.checkouts.SubmitDetails(context.Background(), token, form)) })
	for _, err := range errs {
		if err != nil {
			wantCode(t, "the form again", err, "checkout_wrong_step")
		}
	}
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt"), 1, "attempts")
}

// A payment whose time is over while a card or a code waits for its turn takes
// neither: nobody is charged for what has ended.
func TestTooLateInLine(t *testing.T) {
	b := setup(t)
	var token string
	for name, send := range map[string]func(context.Context) error{
		"a card": func(ctx context.Context) error {
			return testenv.ErrOf(b.checkouts.SubmitDetails(ctx, token, typed(panApproved)))
		},
		"a code": func(ctx context.Context) error { return testenv.ErrOf(b.checkouts.SubmitCode(ctx, token, "123456")) },
	} {
		var p payment.Payment
		p, token = b.create(t, "")
		if name == "a code" {
			b.tried(t, token, panCode)
		}
		before := b.Text(t, "select coalesce(sum(codes_sent + 1), 0) from card_attempt")
		held, sent := b.Beside(t), make(chan error, 1)
		testenv.Must(held.Exec(t.Context(), "select from payment where id = $1 for update", p.ID))(t)
		go func() { sent <- send(context.Background()) }()
		b.AwaitBlocked(t)
		b.clock.Advance(15 * time.Minute)
		testenv.NoError(t, held.Commit(t.Context()))
		wantCode(t, name, <-sent, "checkout_closed")
		testenv.Want(t, b.Text(t, "select coalesce(sum(codes_sent + 1), 0) from card_attempt"), before, "%s: cards and codes sent", name)
	}
}

// Payer, trader and acquirer end a payment at the same moment: one of them
// does, and what stood at the acquirer against it is undone.
func TestOneWinner(t *testing.T) {
	b := setup(t)
	b.bystander(t)
	won := map[string]int{}
	for range 12 {
		p, token := b.create(t, "")
		b.enter(t, token, panApproved)
		b.clock.Advance(time.Second)
		calls := []func() error{
			func() error { return testenv.ErrOf(b.checkouts.Cancel(context.Background(), token)) },
			func() error { return testenv.ErrOf(b.payments.Confirm(context.Background(), b.trader.Caller, p.ID)) },
			func() error { return b.checkouts.Poll(context.Background()) },
		}
		errs := testenv.AtOnce(len(calls), func(i int) error { return calls[i]() })
		cancelErr, confirmErr := errs[0], errs[1]
		testenv.NoError(t, errs[2])
		v := testenv.Must(b.checkouts.Get(t.Context(), token))(t)
		won[string(v.Payment.Status)]++
		testenv.Check(t, (cancelErr == nil) == (v.Payment.Status == "cancelled") && (cancelErr != nil || confirmErr != nil),
			"%s: cancel %v, confirm %v", v.Payment.Status, cancelErr, confirmErr)
		moves := "select count(*) from payment_history where payment_id = $1 and from_status is not null"
		testenv.Want(t, b.Count(t, moves, p.ID), 1, "moves")
	}
	t.Log(won)
	b.later(t, time.Minute)
	b.later(t, time.Minute)
	agree := b.Count(t, `select count(*) from payment p join card_attempt a on a.payment_id = p.id
		join sandbox_acquirer s on s.attempt_id = a.id
		where (p.status = 'completed' and not s.voided and a.status = 'approved')
		   or (p.status = 'cancelled' and s.voided and a.status = 'voided')`)
	testenv.Want(t, agree, 12, "the acquirer's book agrees on")
	b.Audit(t)
}

// cuts are where the process dies, or the line is cut, between what was
// committed and the answer.
var cuts = map[string]func(t *testing.T, b *bundle, token string){
	"the card never arrived": func(t *testing.T, b *bundle, token string) {
		b.line.cutBefore.Store(true)
		testenv.Want(t, b.enter(t, token, panApproved).Phase, bank, "the phase")
		b.startLater(t, 0)
		b.want(t, token, details, "pending", "acquirer_unavailable")
		testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 1, "cards that are still there, with a bystander's")
		// A call of the lost attempt that arrives late does nothing.
		testenv.Want(t, b.Count(t, voidedCards), 1, "attempts are voided")
		b.pay(t, token)
	},
	"killed in the call": func(t *testing.T, b *bundle, token string) {
		b.line.cutBefore.Store(true)
		b.enter(t, token, panApproved)
		b.unnoticed(t)
		b.startLater(t, 14*time.Second)
		b.want(t, token, bank, "pending", "")
		b.later(t, time.Second)
		b.want(t, token, details, "pending", "acquirer_unavailable")
	},
	"the answer never came": func(t *testing.T, b *bundle, token string) {
		b.line.cutAfter.Store(true)
		b.enter(t, token, panApproved)
		b.startLater(t, time.Second)
		b.want(t, token, bank, "completed", "")
	},
	"the code never arrived": func(t *testing.T, b *bundle, token string) {
		b.tried(t, token, panCode)
		b.want(t, token, code, "pending", "")
		b.line.cutBefore.Store(true)
		testenv.Want(t, b.code(t, token, "123456"), confirm, "the phase")
		b.startLater(t, time.Second)
		b.want(t, token, code, "pending", "acquirer_unavailable")
		b.code(t, token, "123456")
		b.want(t, token, confirm, "completed", "")
	},
	"the code overtakes the card": func(t *testing.T, b *bundle, token string) {
		b.line.cutBefore.Store(true)
		b.enter(t, token, panCode)
		b.unnoticed(t)
		b.line.cutBefore.Store(false)
		b.code(t, token, "123456")
		b.later(t, time.Second)
		testenv.Want(t, b.Count(t, voidedCards), 0, "cards on their way that were voided")
	},
	"a lost code overtakes the card": func(t *testing.T, b *bundle, token string) {
		b.line.cutBefore.Store(true)
		b.enter(t, token, panCode)
		b.code(t, token, "123456")
		b.later(t, time.Second)
		testenv.Want(t, b.Count(t, voidedCards), 0, "cards on their way that were voided")
	},
	"a resend overtakes the card": func(t *testing.T, b *bundle, token string) {
		b.line.cutBefore.Store(true)
		b.enter(t, token, panCode)
		b.unnoticed(t)
		testenv.NoError(t, b.checkouts.ResendByPayer(t.Context(), token))
		b.later(t, time.Second)
		testenv.Want(t, b.Count(t, voidedCards), 0, "cards on their way that were voided")
	},
	"a resend overtakes the code": func(t *testing.T, b *bundle, token string) {
		b.onItsWay(t, token)
		testenv.NoError(t, b.checkouts.ResendByPayer(t.Context(), token))
		b.later(t, time.Second)
		b.want(t, token, code, "pending", "")
	},
	"moves overtake the code": func(t *testing.T, b *bundle, token string) {
		p := b.onItsWay(t, token)
		b.set(t, p, "completed")
		b.set(t, p, "pending")
		b.later(t, time.Second)
		b.want(t, token, confirm, "pending", "")
	},
	"the code's answer never came": func(t *testing.T, b *bundle, token string) {
		b.tried(t, token, panCode)
		b.line.cutAfter.Store(true)
		b.code(t, token, "000000")
		b.startLater(t, time.Second)
		b.want(t, token, code, "pending", "code_rejected")
	},
}

// voidedCards counts those that the sandbox's acquirer has undone.
const voidedCards = "select count(*) from sandbox_acquirer where voided"

func TestCutLine(t *testing.T) {
	t.Parallel()
	for name, test := range cuts {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			b.bystander(t)
			_, token := b.create(t, "")
			test(t, b, token)
		})
	}
}

// unnoticed has it be as if nobody had noticed that a call failed, or it were
// still under way.
func (b *bundle) unnoticed(t *testing.T) {
	t.Helper()
	b.Exec(t, "update card_attempt set poll_at = $1 where poll_at < $1", b.clock.Now().Add(15*time.Second))
}

// onItsWay has a code be under way to the acquirer.
func (b *bundle) onItsWay(t *testing.T, token string) payment.Payment {
	t.Helper()
	b.tried(t, token, panCode)
	b.line.cutBefore.Store(true)
	b.code(t, token, "123456")
	b.unnoticed(t)
	return testenv.Must(b.checkouts.Get(t.Context(), token))(t).Payment
}

// startLater starts the program anew, lets time pass, and has the acquirer be
// asked.
func (b *bundle) startLater(t *testing.T, by time.Duration) {
	t.Helper()
	b.start(t)
	b.later(t, by)
}

// code gives a code, and returns the phase after it.
func (b *bundle) code(t *testing.T, token, otp string) checkout.Phase {
	t.Helper()
	return testenv.Must(b.checkouts.SubmitCode(t.Context(), token, otp))(t).Phase
}

// What is undone: attempts of payments that ended otherwise, whoever ended
// them.
func TestVoided(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"payer", "trader", "application", "clock"} {
		t.Run(who, func(t *testing.T) {
			b := setup(t)
			p, token := b.create(t, "")
			b.enter(t, token, panDesk)
			switch who {
			case "payer":
				testenv.Must(b.checkouts.Cancel(t.Context(), token))(t)
			case "trader":
				testenv.Must(b.payments.Cancel(t.Context(), b.trader.Caller, p.ID, nil))(t)
			case "application":
				b.set(t, p, "failed")
			case "clock":
				b.clock.Advance(15 * time.Minute)
				wantCode(t, "after its time", testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "1234")), "checkout_closed")
				testenv.Must(b.payments.Expire(t.Context()))(t)
			}
			b.later(t, 15*time.Second)
			testenv.Want(t, b.charges(t, "s.voided and a.status = 'voided'"), 1, "attempts that are undone")
			testenv.Want(t, b.Count(t, "select count(*) from payment_card where pan is not null"), 0,
				"cards that are still there")
			// Set back to pending, it waits for a card again.
			b.set(t, p, "pending")
			b.want(t, token, details, "pending", "")
			b.pay(t, token)
			b.Audit(t)
		})
	}
}

// Links that are none, and links of payments without a checkout, are one and
// the same to a stranger.
func TestUnknownLinks(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Currency: "AZN", Method: "c2c", Requisites: 1})
	_, other := b.createFor(t, b.merchant, "c2c", "AZN", "")
	_, good := b.create(t, "")
	changed := "B" + good[1:]
	for _, token := range []string{"", "nonsense", changed, good + "=", other} {
		wantCode(t, "get "+token, testenv.ErrOf(b.checkouts.Get(t.Context(), token)), "not_found")
		wantCode(t, "details "+token, testenv.ErrOf(b.checkouts.SubmitDetails(t.Context(), token, checkout.Details{})), "not_found")
		wantCode(t, "code "+token, testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "x")), "not_found")
		wantCode(t, "cancel "+token, testenv.ErrOf(b.checkouts.Cancel(t.Context(), token)), "not_found")
		wantCode(t, "resend "+token, b.checkouts.ResendByPayer(t.Context(), token), "not_found")
	}
}

func TestRateLimits(t *testing.T) {
	b := setup(t)
	n := b.Count(t, `select count(*) from rate_limit where (name, calls, per_seconds) in
		(('checkout_writes', 60, 60), ('checkout_reads', 20, 1))`)
	testenv.Check(t, n == 2, "not 60 writes a minute and 20 reads a second")
	// So slow a refill that a busy machine cannot hide the bounds.
	b.Exec(t, "update rate_limit set per_seconds = 100000")
	b.start(t)
	_, token := b.create(t, "")
	_, other := b.create(t, "")
	for n := range 60 {
		if _, err := b.checkouts.SubmitCode(t.Context(), token, ""); err == nil ||
			strings.Contains(err.Error(), "rate_limited") {
			t.Fatalf("write %d: %v", n+1, err)
		}
	}
	wantCode(t, "the 61st write", testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), token, "")), "rate_limited")
	wantCode(t, "a resend after it", b.checkouts.ResendByPayer(t.Context(), token), "rate_limited")
	wantCode(t, "another link", testenv.ErrOf(b.checkouts.SubmitCode(t.Context(), other, "")), "checkout_wrong_step")
	for range 20 {
		testenv.Must(b.checkouts.Get(t.Context(), token))(t)
	}
	wantCode(t, "the 21st read", testenv.ErrOf(b.checkouts.Get(t.Context(), token)), "rate_limited")
}

// A card is not taken from whom is blocked by card, address or user id. By
// which, nobody is told, and nothing is tried.
func TestBlockedCard(t *testing.T) {
	b := setup(t)
	settings := directory.NewSettings(b.Pools(), b.clock, dbtest.Vault(), dbtest.Requisites(), directory.Config{})
	admin := caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}
	other := func() {
		t.Helper()
		_, token := b.create(t, "carl")
		b.enter(t, token, panCode)
	}
	other()
	stolen, token := b.create(t, "anna")
	b.tried(t, token, panNoFunds)
	b.enter(t, token, panDeclined)
	other()
	for _, n := range []directory.NewBlock{
		{Kind: block.Card, PaymentID: stolen.ID}, {Kind: block.Address, Value: "192.0.2.1"}, {Kind: block.User, PaymentID: stolen.ID},
	} {
		_, next := b.createFor(t, b.merchant, "quasi_ecom", "AZN", map[bool]string{true: "anna", false: "boris"}[n.Kind == "user"])
		pan := map[bool]string{true: panDeclined, false: panApproved}[n.Kind == "card"]
		n.Reason = "stolen"
		made := testenv.Must(settings.BlockPayer(t.Context(), admin, n))(t)
		_, err := b.checkouts.SubmitDetails(t.Context(), next, typed(pan))
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Code == "merchant_collect_payer_blocked" && slices.Equal(f.Fields["pan"], []string{checkout.CardNotTaken}), "%s: %v", n.Kind, err)
		testenv.Must(settings.UnblockPayer(t.Context(), admin, made.ID, "tried"))(t)
		b.enter(t, next, panApproved)
	}
	testenv.Want(t, b.Count(t, "select count(*) from card_attempt"), 7, "attempts")
	testenv.Want(t, b.Text(t, "select shown from payer_block where kind = 'card'"), "•••• 0002", "the card is shown as")
}

// The name of a card's holder is in an event's body until the event is settled
// and the card is erased. All else of the body stays as it is.
func TestHolderLeavesEvents(t *testing.T) {
	b := setup(t)
	const name = `ANNA \ "B" <C>`
	bodies := func() string {
		testenv.NoError(t, webhook.EraseHolders(t.Context(), b.Pool))
		return b.Text(t, "select string_agg(convert_from(body, 'UTF8'), ' ') from webhook_event")
	}
	kept, token := b.create(t, "user-1")
	details := typed(panApproved)
	details.Holder, details.Keep = name, true
	testenv.Must(b.checkouts.SubmitDetails(t.Context(), token, details))(t)
	b.later(t, time.Second)
	escaped := `,"cardHolder":"ANNA \\ \"B\" <C>"`
	whole := bodies()
	testenv.Need(t, strings.Count(whole, escaped) == 1, "the event says %s", whole)
	testenv.Want(t, bodies(), whole, "an event that is to be delivered")
	b.Exec(t, "update webhook_event set status = 'delivered'")
	testenv.Want(t, bodies(), whole, "an event whose card is kept")
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return q.CardErase(t.Context(), db.CardEraseParams{MerchantID: kept.MerchantID, PaymentID: kept.ID})
	}))
	testenv.Want(t, bodies(), strings.Replace(whole, escaped, "", 1), "an event whose card is erased")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_holder"), 0, "events listed")
}
