package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
)

// The outcomes in the log of sign-ins. A sign-in that begins a session has the
// session's state as its outcome.
const (
	outcomeSignedIn      = "signed_in"
	outcomeFactorGiven   = "factor_given"
	outcomeWrongPassword = "wrong_password"
	outcomeWrongFactor   = "wrong_factor"
	outcomeFactorLocked  = "factor_locked"
)

const (
	// eventsMost is how many sign-ins of a user with the same outcome are
	// stored within eventsWithin. Attempts with unknown logins all count as
	// those of one user.
	eventsMost   = 100
	eventsWithin = time.Hour
	// eventsKept is how long they are kept. The table refuses to delete
	// them earlier.
	eventsKept = 400*24*time.Hour + time.Hour
	// eventsAtOnce is how many old ones are deleted at a time.
	eventsAtOnce = 10_000
)

// event is a sign-in or a try. What was typed is not stored: it may have been a
// password in the wrong field.
type event struct {
	// userID is 0 if no user has the login.
	userID  int64
	door    Door
	outcome string
	from    Origin
}

// logEvent stores an event in the log of sign-ins, unless there are too many
// already.
func (s *Service) logEvent(ctx context.Context, q *db.Queries, e event) error {
	now := s.wallNow()
	err := q.SignInEventInsert(ctx, db.SignInEventInsertParams{
		At: now, UserID: e.userID, Door: string(e.door), Outcome: e.outcome, Address: printable(e.from.Address),
		Agent: printable(e.from.Agent), Since: now.Add(-eventsWithin), Most: eventsMost,
	})
	return fault.Doing("keep the sign-in", err)
}

// say queues messages, on every channel of the user, about a change of how they
// sign in.
func (s *Service) say(ctx context.Context, q *db.Queries, kind notify.Kind, userID int64) error {
	if err := db.Run(ctx, q, notify.Say(kind, userID, rand.Text(), s.wallNow())); err != nil {
		return fmt.Errorf("say that %s: %w", kind, err)
	}
	return nil
}

// keepFailure stores a failed guess in the log of sign-ins, and returns the
// error for it. If storing fails, that error is returned instead, and the guess
// still counts.
func (s *Service) keepFailure(ctx context.Context, e event, refusal error) error {
	if !guessed(refusal) {
		return refusal
	}
	if err := errors.Join(s.logEvent(ctx, s.q, e), s.keepWrongCode(ctx, e, refusal)); err != nil {
		return guess{error: err}
	}
	return refusal
}

// wrongMost is how many wrong codes in a row lock a second factor. Without
// that, somebody who has the password and tries ten codes in every quarter of
// an hour would guess one of a million codes within weeks.
const wrongMost = 20

// keepWrongCode counts a wrong code, and logs when the factor becomes locked.
func (s *Service) keepWrongCode(ctx context.Context, e event, refusal error) error {
	var g guess
	if !errors.As(refusal, &g) || !g.ofCode || e.userID == 0 {
		return nil
	}
	now := s.wallNow()
	locked, err := s.q.UserFactorWrong(ctx, db.UserFactorWrongParams{ID: e.userID, Most: wrongMost, Now: &now})
	if err != nil {
		return fmt.Errorf("count a wrong code: %w", err)
	}
	if !locked {
		return nil
	}
	e.outcome = outcomeFactorLocked
	return s.logEvent(ctx, s.q, e)
}

// outcomeOf is the outcome of a sign-in that began a session in a state.
func outcomeOf(state string) string {
	if state == string(Complete) {
		return outcomeSignedIn
	}
	return state
}

// kept makes a change and logs, in the same transaction, that a factor was
// given.
func (s *Service) kept(ctx context.Context, session Session, prove change) change {
	return func(q *db.Queries, user lockedUser) error {
		if err := prove(q, user); err != nil {
			return err
		}
		return s.logEvent(ctx, q, session.event(outcomeFactorGiven))
	}
}

// event describes something that the session's user did, from the address of
// the sign-in.
func (f Session) event(outcome string) event {
	from := Origin{Address: f.Address, Agent: f.Agent}
	return event{userID: f.userID(), door: f.Door, outcome: outcome, from: from}
}

// Prune deletes expired sessions and invitations, and old entries of the log of
// sign-ins.
func (s *Service) Prune(ctx context.Context) error {
	return errors.Join(
		s.q.SessionPrune(ctx, s.now()),
		s.q.InvitationPrune(ctx, s.now()),
		s.q.FailurePrune(ctx, db.FailurePruneParams{Now: s.now(), Page: eventsAtOnce}),
		s.q.SignInEventPrune(ctx, db.SignInEventPruneParams{Before: s.now().Add(-eventsKept), Page: eventsAtOnce}),
	)
}
