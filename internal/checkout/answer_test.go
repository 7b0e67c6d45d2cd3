package checkout

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// testdata/answers.txt says what it is about.
func TestAnswers(t *testing.T) {
	t.Parallel()
	attempt := func(status string, age time.Duration) db.CardAttempt {
		return db.CardAttempt{Status: status, CodesFollowed: -1, CreatedAt: noon.Add(-age)}
	}
	attempts := map[string]db.CardAttempt{
		"open": attempt(attemptOpen, 0), "asking": attempt(attemptAuthorising, 0), "undoing": attempt(attemptUndoing, 0),
		"coding": {Status: attemptOpen, CodesFollowed: 0, CodesSent: 1, Submitting: true, CreatedAt: noon},
		"old":    attempt(attemptOpen, longOpen+1), "oldest": attempt(attemptOpen, neverDecided+1),
	}
	named := map[string]Phase{"details": details, "bank": bank, "code": code, "confirm": confirm}
	questions := map[string]asked{"sent": sent, "inquired": inquired, "voided": voided}
	for _, row := range testenv.Rows(t, "answers.txt") {
		before, known := attempts[row[3]]
		heard, more, _ := strings.Cut(row[4], " ")
		answer := acquirer.Answer{State: acquirer.State(heard), Reason: more}
		if codes, err := strconv.Atoi(more); err == nil {
			answer.Codes, answer.Reason = int32(codes), ""
		}
		taken := transition{
			answer: answer, to: questions[row[5]], codes: before.CodesSent, cards: 1, now: noon, attempt: before,
			state: at(named[row[2]]),
		}
		taken.state.AttemptOver = false
		taken.decide(payment.Status(row[1]))
		move := string(taken.move.to)
		if taken.move.reason != nil {
			move += " " + *taken.move.reason
		}
		got := fmt.Sprint(known, taken.attempt.Status, taken.state.Phase, move)
		want := fmt.Sprint(true, row[6], named[row[7]], strings.Join(row[8:], ""))
		testenv.Want(t, got, want, "%s", row[0])
		testenv.Want(t, taken.state.AttemptOver, !underWay(row[6]), "%s: over", row[0])
	}
}

// As many cards may be declined as may be tried: each but the last leaves the
// payment as it is, and the last fails it for its own reason. A card that the
// acquirer voided without our asking counts as one, and neither a lost card nor
// an answer for a payment that has ended does.
func TestDeclinesCount(t *testing.T) {
	t.Parallel()
	noFunds := acquirer.Answer{State: acquirer.Declined, Reason: acquirer.InsufficientFunds}
	overLimit := acquirer.Answer{State: acquirer.Declined, Reason: acquirer.LimitExceeded}
	undone := acquirer.Answer{State: acquirer.Voided}
	for _, cards := range []int{1, 2, 3, 10} {
		state := State{Phase: AwaitingBank}
		hear := func(status payment.Status, answer acquirer.Answer, to asked) transition {
			state.Phase = AwaitingBank
			taken := transition{
				answer: answer, to: to, cards: cards, now: noon, state: state,
				attempt: db.CardAttempt{Status: attemptOpen, CodesFollowed: -1, CreatedAt: noon},
			}
			taken.decide(status)
			state = taken.state
			return taken
		}
		for n := 1; n <= cards; n++ {
			hear(payment.Pending, undone, voided)
			hear(payment.Cancelled, noFunds, sent)
			testenv.Need(t, int(state.Declined) == n-1, "%d cards: %d count before the %dth", cards, state.Declined, n)
			answer, reason := noFunds, "insufficient_funds"
			switch n % 3 {
			case 1:
				answer, reason = overLimit, "limit_exceeded"
			case 2:
				answer, reason = undone, "card_declined"
			}
			taken := hear(payment.Pending, answer, inquired)
			testenv.Check(t, int(state.Declined) == n && *state.LastError == reason && state.AttemptOver &&
				taken.attempt.Status == string(acquirer.Declined), "card %d of %d: %+v, attempt %s", n, cards, state,
				taken.attempt.Status)
			switch failed := taken.move.to == payment.Failed; {
			case failed != (n == cards), failed && *taken.move.reason != reason, !failed && taken.move != move{},
				failed != (state.Phase == AwaitingBank), !failed && state.Phase != AwaitingDetails:
				t.Errorf("card %d of %d: payment %+v, %s", n, cards, taken.move, state.Phase)
			}
		}
	}
}

// An answer to a question from before a code was sent says nothing of that
// code, unless it counts it. Then the code was wrong, once, whatever the call
// that sent it answers later.
func TestAnswerFromBeforeACode(t *testing.T) {
	t.Parallel()
	code := transition{
		answer: acquirer.Answer{State: acquirer.CodeNeeded}, to: inquired, now: noon, state: State{Phase: AwaitingConfirm},
		attempt: db.CardAttempt{
			Status: attemptOpen, CodesSent: 1, Submitting: true, CreatedAt: noon, PollAt: noon.Add(callGrace),
		},
	}
	counted := code
	code.decide(payment.Pending)
	testenv.Check(t, code.state.Phase == AwaitingConfirm && code.state.LastError == nil && code.attempt.Submitting &&
		code.attempt.PollAt.Equal(noon.Add(callGrace)), "%+v, %+v", code.state, code.attempt)
	code.codes = 1
	code.decide(payment.Pending)
	testenv.Check(t, code.state.Phase == AwaitingCode && *code.state.LastError == errorUnavailable &&
		!code.attempt.Submitting, "asked after it was sent: %+v, %+v", code.state, code.attempt)
	counted.answer.Codes = 1
	for range 2 {
		counted.decide(payment.Pending)
		testenv.Check(t, counted.state.Phase == AwaitingCode && counted.state.Rejected == 1 && !counted.attempt.Submitting,
			"it counts the code: %+v, %+v", counted.state, counted.attempt)
		counted.codes, counted.to = 1, sent
	}
}

// Asked twice by the acquirer for the same code, the payer is asked once: the
// trader's word in between stands.
func TestAcquirerAsksOnce(t *testing.T) {
	t.Parallel()
	taken := transition{
		answer: acquirer.Answer{State: acquirer.CodeNeeded}, to: inquired, now: noon,
		attempt: db.CardAttempt{Status: attemptOpen, CodesFollowed: -1}, state: State{Phase: AwaitingBank},
	}
	taken.decide(payment.Pending)
	taken.state, _ = taken.state.codeNotNeeded()
	taken.decide(payment.Pending)
	testenv.Want(t, taken.state.Phase, AwaitingConfirm, "the phase when asked again")
	// Three wrong codes end the payment, however often each answer is read.
	for n := int32(1); n <= 3; n++ {
		taken.answer.Codes, taken.attempt.CodesSent, taken.codes = n, n, n
		taken.decide(payment.Pending)
		taken.decide(payment.Pending)
		testenv.Check(t, taken.state.Rejected == n && *taken.state.LastError == "code_rejected" &&
			(taken.move.to == payment.Failed) == (n == 3), "code %d: %+v, payment %q", n, taken.state, taken.move.to)
	}
	testenv.Want(t, *taken.move.reason, "code_rejected", "reason")
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var phases = []Phase{AwaitingDetails, AwaitingBank, AwaitingCode, AwaitingConfirm}

const (
	details = AwaitingDetails
	bank    = AwaitingBank
	code    = AwaitingCode
	confirm = AwaitingConfirm

	wrongStep = "checkout_wrong_step"
	wrongSend = "code_resend_wrong_step"
)

// at is a state in a phase, as a payment comes there: with an attempt, but for
// the first.
func at(phase Phase) State {
	return State{Phase: phase, AttemptOver: phase == AwaitingDetails, CodeAsked: phase == AwaitingCode}
}

// Every move from every phase, as the package comment draws them: the phase
// after it, or the code of the refusal.
func TestMoves(t *testing.T) {
	t.Parallel()
	always := func(move func(State) State) func(State) (State, error) {
		return func(s State) (State, error) { return move(s), nil }
	}
	for name, test := range map[string]struct {
		move func(State) (State, error)
		// want is what comes of each phase, in their order.
		want [4]string
	}{
		"card entered": {
			func(s State) (State, error) { return s.cardEntered(uuid.UUID{1}, "") }, [4]string{string(bank), wrongStep, wrongStep, wrongStep},
		},
		"card lost":        {always(State.cardLost), [4]string{string(details), string(details), string(details), string(details)}},
		"acquirer asks":    {always(State.codeNeeded), [4]string{string(details), string(code), string(code), string(code)}},
		"trader asks":      {State.codeRequested, [4]string{wrongStep, string(code), string(code), string(code)}},
		"code not needed":  {State.codeNotNeeded, [4]string{wrongStep, string(confirm), string(confirm), string(confirm)}},
		"code given":       {State.codeGiven, [4]string{wrongStep, string(confirm), string(confirm), wrongStep}},
		"code lost":        {always(State.codeLost), [4]string{string(details), string(code), string(code), string(code)}},
		"code rejected":    {func(s State) (State, error) { s, _ = s.codeRejected(); return s, nil }, [4]string{string(details), string(code), string(code), string(code)}},
		"merchant resends": {func(s State) (State, error) { return s.resent(byMerchant, noon) }, [4]string{wrongSend, string(code), string(code), string(code)}},
		"trader resends":   {func(s State) (State, error) { return s.resent(byTrader, noon) }, [4]string{wrongSend, string(code), string(code), string(code)}},
		"attempt ended":    {always(State.ended), [4]string{string(details), string(bank), string(code), string(confirm)}},
	} {
		for i, from := range phases {
			got, err := test.move(at(from))
			outcome := string(got.Phase)
			if f := fault.As(err); f != nil {
				outcome = f.Code
				testenv.Want(t, got, at(from), "%s in %s: refused, and yet changed to", name, from)
			}
			testenv.Want(t, outcome, test.want[i], "%s in %s", name, from)
		}
	}
}

// What moves carry with them besides the phase.
func TestMovesKeepCount(t *testing.T) {
	t.Parallel()
	id := uuid.UUID{7}
	s, _ := initial().cardEntered(id, "")
	testenv.Check(t, !s.AttemptOver && s.AttemptID == id && !s.CodeAsked, "a card: %+v", s)
	s = s.cardLost()
	testenv.Check(t, s.AttemptOver && *s.LastError == "acquirer_unavailable", "lost: %+v", s)
	s, _ = s.cardEntered(id, "")
	testenv.Check(t, s.LastError == nil, "a card after a lost one: %+v", s)
	// Three wrong codes and three declined cards are the limits of a
	// payment, whichever card they are of.
	counted, _ := State{Phase: AwaitingDetails, Rejected: 2, Declined: 2}.cardEntered(id, "")
	testenv.Check(t, counted.Rejected == 2 && counted.Declined == 2, "another card: %+v", counted)
	// After a code was given the trader asks once more by a resend alone;
	// after it was not needed they may ask.
	given, _ := s.codeGiven()
	dbtest.WantCode(t, testenv.ErrOf(given.codeRequested()), wrongStep)
	notNeeded, _ := s.codeNeeded().codeNotNeeded()
	again, err := notNeeded.codeRequested()
	testenv.Check(t, err == nil && again.Phase == AwaitingCode, "asked after not needed: %+v %v", again, err)
}

// Merchant and trader share one counter and one pause of 45 s; that none is
// left is said first.
func TestResends(t *testing.T) {
	t.Parallel()
	s := at(AwaitingBank)
	testenv.Check(t, s.NextAllowedAt() == nil && s.ResendsLeft() == 3,
		"before the first: %v, %d left", s.NextAllowedAt(), s.ResendsLeft())
	now := noon
	for n, by := range []string{byMerchant, byTrader, byMerchant} {
		s = testenv.Must(s.resent(by, now))(t)
		testenv.Check(t, s.Resends == int32(n+1) && *s.ResentBy == by && s.ResentAt.Equal(now) &&
			s.ResendsLeft() == int32(2-n), "resend %d: %+v", n+1, s)
		_, err := s.resent(byTrader, now.Add(44999*time.Millisecond))
		want := "code_resend_too_early"
		if n == 2 {
			want = "code_resend_exhausted"
		}
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Code == want, "again after 44.999 s: %v, want %s", err, want)
		testenv.Check(t, n >= 2 || f.RetryAfter == time.Millisecond && f.NextAllowedAt.Equal(now.Add(45*time.Second)),
			"to wait %v until %v", f.RetryAfter, f.NextAllowedAt)
		now = now.Add(45 * time.Second)
	}
	dbtest.WantCode(t, testenv.ErrOf(s.resent(byMerchant, now)), "code_resend_exhausted")
}

func TestMaskOrder(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"order-12345": "or***45", "1234567": "12***67", "123456": "***", "1": "***", "": "***", "заказ-77": "за***77",
	} {
		testenv.Want(t, maskOrder(id), want, "%q", id)
	}
}
