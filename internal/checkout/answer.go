package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// key identifies an attempt, together with how many of its codes the acquirer
// had been sent when it was asked.
type key struct {
	merchantID, paymentID int64
	id                    uuid.UUID
	codes                 int32
}

// asked is what the acquirer was asked.
type asked int

const (
	// sent: it was just given a card or a code, so its answer takes that
	// into account.
	sent asked = iota
	// inquired: it was asked for the state of the attempt.
	inquired
	// voided: it was asked to undo the attempt.
	voided
)

// These results of attempts are the gateway's own; the others are those that
// acquirers name.
const (
	attemptAuthorising = "authorising"
	attemptOpen        = "open"
	attemptUndoing     = "undoing"
	attemptLost        = "lost"
	attemptConflict    = "conflict"
)

const (
	// longOpen is the age of an attempt from which on its acquirer is asked
	// less often, if the payment was completed without its answer.
	longOpen = 24 * time.Hour
	// nowAndThen is how often it is asked then.
	nowAndThen = time.Hour
	// neverDecided is the age of an attempt at which an operator has to
	// find out what happened to the charge.
	neverDecided = 30 * 24 * time.Hour
)

// applyAnswer applies an acquirer's answer while the payment is locked. An
// attempt that has ended stays ended. If it ended without a charge and the
// acquirer now says that it charged the card, a conflict is reported to
// operators.
func (s *Service) applyAnswer(ctx context.Context, k key, answer acquirer.Answer, to asked) error {
	_, err := s.Payments.WithLocked(ctx, k.merchantID, k.paymentID, func(p *payment.Locked) error {
		q := db.New(p.Tx)
		attempt, err := q.AttemptGet(ctx, db.AttemptGetParams{MerchantID: k.merchantID, ID: k.id})
		if err != nil {
			return fmt.Errorf("read attempt: %w", err)
		}
		if !underWay(attempt.Status) {
			if uncharged(attempt.Status) && answer.State == acquirer.Approved {
				attempt.Status = attemptConflict
				return errors.Join(putAttempt(ctx, q, attempt), s.conflict(ctx, q, p.Payment, attempt.ID, answer.State))
			}
			return nil
		}
		state, err := s.state(ctx, q, p.Payment)
		if err != nil {
			return err
		}
		t := transition{
			answer: answer, to: to, codes: k.codes, cards: s.Payments.CardsAllowed(p.Payment), now: s.clock.Now(),
			attempt: attempt, state: state,
		}
		t.decide(p.Status)
		t.time()
		if err := noteAsked(ctx, q, p.Payment, state, t); err != nil {
			return err
		}
		if err := s.store(ctx, q, p.Payment, t); err != nil || t.move == (move{}) {
			return err
		}
		return p.Move(ctx, t.move.to, actorAcquirer, t.move.reason)
	})
	return err
}

// noteAsked stores that the acquirer asked for a code.
func noteAsked(ctx context.Context, q *db.Queries, p payment.Payment, before State, t transition) error {
	if !t.latest() || before.Phase == AwaitingCode || t.state.Phase != AwaitingCode || t.state.LastError != nil {
		return nil
	}
	return db.Run(ctx, q, payment.Step(p, t.now, actorAcquirer, payment.StepCodeRequested, payment.StepDetail{}))
}

// uncharged reports whether a result of an attempt means that no money was
// taken.
func uncharged(attempt string) bool {
	return attempt == string(acquirer.Voided) || attempt == string(acquirer.Declined) || attempt == attemptLost
}

func underWay(attempt string) bool {
	return attempt == attemptAuthorising || attempt == attemptOpen || attempt == attemptUndoing
}

// store writes the result of an answer.
func (s *Service) store(ctx context.Context, q *db.Queries, p payment.Payment, t transition) error {
	if err := putAttempt(ctx, q, t.attempt); err != nil {
		return err
	}
	if t.latest() {
		if err := db.Run(ctx, q, put(p, t.state)); err != nil {
			return err
		}
	}
	over := t.attempt.Status == attemptLost || t.attempt.Status == string(acquirer.Declined)
	if over && p.Status == payment.Pending && t.move == (move{}) {
		if err := db.Run(ctx, q, card.Erase(p.MerchantID, p.ID)); err != nil {
			return fmt.Errorf("erase card: %w", err)
		}
	}
	if err := countCard(ctx, q, t.attempt); err != nil {
		return err
	}
	if t.attempt.Status != attemptConflict {
		return nil
	}
	return s.conflict(ctx, q, p, t.attempt.ID, t.answer.State)
}

// conflict reports to operators an attempt whose result does not agree with its
// payment.
func (s *Service) conflict(
	ctx context.Context,
	q *db.Queries,
	p payment.Payment,
	attempt uuid.UUID,
	says acquirer.State,
) error {
	return q.ConflictInsert(ctx, db.ConflictInsertParams{
		MerchantID: p.MerchantID, PaymentID: p.ID, AttemptID: attempt, PaymentStatus: string(p.Status),
		AttemptState: string(says), CreatedAt: s.clock.Now(),
	})
}

func putAttempt(ctx context.Context, q *db.Queries, a db.CardAttempt) error {
	err := q.AttemptPut(ctx, db.AttemptPutParams{
		MerchantID: a.MerchantID, ID: a.ID, Status: a.Status, CodesSent: a.CodesSent,
		CodesFollowed: a.CodesFollowed, Submitting: a.Submitting, ProgressAt: a.ProgressAt, PollAt: a.PollAt,
		HandedAt: a.HandedAt, TookMs: a.TookMs,
	})
	return fault.Doing("write attempt", err)
}

// transition is what an acquirer's answer changes. It is given what is known,
// and decides what happens to the attempt, the checkout and the payment.
type transition struct {
	answer acquirer.Answer
	to     asked
	// codes is how many codes the acquirer had been sent when it was asked.
	codes int32
	// cards is how many cards may be tried for the payment.
	cards int
	now   time.Time

	attempt db.CardAttempt
	state   State
	// move is the change of the payment's status.
	move move
}

// move is a change to another status, for a reason. The zero value is no
// change.
type move struct {
	to     payment.Status
	reason *string
}

// latest reports whether the attempt is the checkout's last one.
func (t *transition) latest() bool { return t.state.AttemptID == t.attempt.ID }

// decide is the complete decision table for answers.
func (t *transition) decide(status payment.Status) {
	switch {
	case t.attempt.Status == attemptUndoing:
		t.undoing(status)
	case status == payment.Pending:
		t.pending()
	case status == payment.Completed, status == payment.Appeal:
		t.awaitAgreement(status)
	default:
		t.undo()
	}
}

// time adds up how long the acquirer takes: from when it gets a card or a code
// until it decides or asks for the next code.
func (t *transition) time() {
	a := &t.attempt
	if a.HandedAt == nil || underWay(a.Status) && a.CodesFollowed < a.CodesSent {
		return
	}
	a.TookMs += max(1, t.now.Sub(*a.HandedAt).Milliseconds())
	a.HandedAt = nil
}

// undoing: the payment was completed by this charge and then taken back. The
// charge is undone, whatever happens to the payment. If the payment is
// completed again without a newer charge, a conflict tells operators that the
// money is gone.
func (t *transition) undoing(status payment.Status) {
	t.undo()
	if uncharged(t.attempt.Status) && status == payment.Completed && t.latest() {
		t.end(attemptConflict)
	}
}

// pending: the payment is pending, so the acquirer's answer decides.
func (t *transition) pending() {
	switch t.answer.State {
	case acquirer.Approved:
		t.end(string(acquirer.Approved))
		t.move = move{to: payment.Completed}
	case acquirer.Declined:
		t.decline(t.answer.Reason)
	case acquirer.Voided, acquirer.Unknown:
		t.noCharge()
	case acquirer.CodeNeeded, acquirer.Pending:
		t.undecided()
	}
}

// decline lets the payer try another card, unless this was the last one
// allowed.
//
//rule:what a declined card does to its payment
func (t *transition) decline(reason string) {
	t.end(string(acquirer.Declined))
	t.state.LastError = &reason
	t.state.Declined++
	if int(t.state.Declined) >= t.cards {
		t.move = move{payment.Failed, &reason}
		return
	}
	t.state.Phase = AwaitingDetails
}

// noCharge: the acquirer knows of no charge. If the gateway voided the attempt,
// the payer enters the card again. An attempt that is unknown to the acquirer
// is first voided, by Poll. An attempt that the acquirer voided by itself is
// declined. If nothing was heard of the attempt before, it was most likely
// voided by a Poll that did not store that; and if not, the payer lost only an
// answer. So the card is not counted.
func (t *transition) noCharge() {
	switch {
	case t.to == voided, t.answer.State == acquirer.Voided && t.attempt.Status == attemptAuthorising:
		t.attempt.Status, t.state = attemptLost, t.state.cardLost()
	case t.answer.State == acquirer.Voided:
		t.decline(acquirer.CardDeclined)
	default:
		t.unknownAttempt()
	}
}

// unknownAttempt: the acquirer does not know an attempt that the gateway did
// not void. Poll asks again and voids it. A code may have arrived before its
// card, whose call may still be in progress.
func (t *transition) unknownAttempt() {
	if t.attempt.Status == attemptOpen {
		t.attempt.PollAt = t.now
	}
}

// undecided: nothing is decided. If the acquirer asks for a code, the payer is
// asked, once for each time that it asks. If the acquirer was asked before it
// got the latest code, its answer says nothing about that code and does not
// count it.
func (t *transition) undecided() {
	a := &t.attempt
	a.Status = attemptOpen
	uncounted := a.Submitting && t.answer.Codes < a.CodesSent
	switch {
	case uncounted && t.codes < a.CodesSent:
		return
	case uncounted && t.to == inquired:
		t.state = t.state.codeLost()
	case uncounted, t.answer.State != acquirer.CodeNeeded, t.answer.Codes <= a.CodesFollowed:
	case t.answer.Codes == 0:
		t.state = t.state.codeNeeded()
	default:
		t.reject()
	}
	if t.answer.State == acquirer.CodeNeeded {
		a.CodesFollowed = max(a.CodesFollowed, t.answer.Codes)
	}
	a.Submitting = uncounted && t.to != inquired
	a.ProgressAt, a.PollAt = t.now, t.now.Add(time.Second)
}

func (t *transition) reject() {
	var last bool
	if t.state, last = t.state.codeRejected(); last {
		reason := errorCodeRejected
		t.move = move{payment.Failed, &reason}
	}
}

// awaitAgreement: somebody else completed the payment, and the acquirer's
// decision is awaited; or the payment is in appeal, which decides nothing about
// the charge.
//
//rule:what happens when the processor and the gateway disagree
func (t *transition) awaitAgreement(status payment.Status) {
	switch {
	case t.answer.State == acquirer.Approved:
		t.end(string(acquirer.Approved))
	case t.answer.State == acquirer.Unknown && t.to != voided:
		t.unknownAttempt()
	case t.answer.State == acquirer.Declined, t.answer.State == acquirer.Voided, t.answer.State == acquirer.Unknown:
		if status == payment.Completed {
			t.end(attemptConflict)
			return
		}
		t.end(string(acquirer.Voided))
	default: // it is not decided
		// A later decline has to be noticed, so that the charge is not
		// taken for approved.
		switch open := t.now.Sub(t.attempt.CreatedAt); {
		case open > neverDecided:
			t.end(attemptConflict)
		case open > longOpen:
			t.attempt.Status, t.attempt.PollAt = attemptOpen, t.now.Add(nowAndThen)
		default:
			t.attempt.Status = attemptOpen
		}
	}
}

// undo: the payment ended without money. Poll undoes a charge that the acquirer
// still has.
func (t *transition) undo() {
	switch {
	case t.answer.State == acquirer.Declined:
		t.end(string(acquirer.Declined))
	case t.answer.State == acquirer.Voided, t.answer.State == acquirer.Unknown && t.to == voided:
		t.end(string(acquirer.Voided))
	case t.answer.State == acquirer.Approved && t.to == voided:
		t.end(attemptConflict)
	default:
		if t.attempt.Status == attemptAuthorising && t.answer.State != acquirer.Unknown {
			t.attempt.Status = attemptOpen
		}
		if t.to != voided {
			t.attempt.PollAt = t.now
		}
	}
}

func (t *transition) end(status string) {
	t.attempt.Status, t.attempt.Submitting = status, false
	t.state = t.state.ended()
}
