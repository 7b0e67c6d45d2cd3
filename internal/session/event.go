package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/db"
)

// The outcomes of sign-ins, as the log has them. Those that begin a session are its states.
const (
	outcomeSignedIn      = "signed_in"
	outcomeFactorGiven   = "factor_given"
	outcomeWrongPassword = "wrong_password"
	outcomeWrongFactor   = "wrong_factor"
	outcomeFactorLocked  = "factor_locked"
)

const (
	// eventsMost is how many sign-ins of a user with one outcome are kept in eventsWithin. Those of
	// logins that nobody has are kept together, as those of one user.
	eventsMost   = 100
	eventsWithin = time.Hour
	// eventsKept is how long they are kept. The table refuses to have them removed earlier.
	eventsKept = 400*24*time.Hour + time.Hour
	// eventsAtOnce is how many old ones are removed at a time.
	eventsAtOnce = 10_000
)

// event is a sign-in or a try. What was typed is no part of it: it may have been a password in the
// wrong field.
type event struct {
	// userID is 0 where nobody has the login.
	userID  int64
	door    Door
	outcome string
	from    Origin
}

// keep writes it to the log of sign-ins.
func (s *Service) keep(ctx context.Context, q *db.Queries, e event) error {
	now := s.wallNow()
	err := q.SignInEventInsert(ctx, db.SignInEventInsertParams{
		At: now, UserID: e.userID, Door: string(e.door), Outcome: e.outcome, Address: printable(e.from.Address),
		Agent: printable(e.from.Agent), Since: now.Add(-eventsWithin), Most: eventsMost,
	})
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	return nil
}

// keepFailure writes a guess to the log of sign-ins, and answers the error it was refused with. What
// cannot be written is answered as a fault of ours, and counts as a guess all the same.
func (s *Service) keepFailure(ctx context.Context, e event, refusal error) error {
	if !guessed(refusal) {
		return refusal
	}
	if err := errors.Join(s.keep(ctx, s.q, e), s.keepWrongCode(ctx, e, refusal)); err != nil {
		return guess{error: err}
	}
	return refusal
}

// wrongMost is how many wrong codes in a row lock a second factor: at ten in a quarter of an hour, whoever
// has the password would else find one of a million in weeks.
const wrongMost = 20

// keepWrongCode counts a wrong code, and has the log of sign-ins say that it was the last.
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
	return s.keep(ctx, s.q, e)
}

// outcomeOf is what the log calls a sign-in that began a session in a state.
func outcomeOf(state string) string {
	if state == string(Whole) {
		return outcomeSignedIn
	}
	return state
}

// kept has the log of sign-ins say that a factor was given, in the transaction that takes it.
func (s *Service) kept(ctx context.Context, session Session, prove change) change {
	return func(q *db.Queries, user db.UserLockRow) error {
		if err := prove(q, user); err != nil {
			return err
		}
		return s.keep(ctx, q, session.event(outcomeFactorGiven))
	}
}

// event is something about the session's user, from where they signed in.
func (f Session) event(outcome string) event {
	from := Origin{Address: f.Address, Agent: f.Agent}
	return event{userID: f.userID(), door: f.Door, outcome: outcome, from: from}
}

// Prune forgets the sessions and invitations that have expired, and sign-ins of long ago.
func (s *Service) Prune(ctx context.Context) error {
	return errors.Join(
		s.q.SessionPrune(ctx, s.now()),
		s.q.InvitationPrune(ctx, s.now()),
		s.q.FailurePrune(ctx, db.FailurePruneParams{Now: s.now(), Page: eventsAtOnce}),
		s.q.SignInEventPrune(ctx, db.SignInEventPruneParams{Before: s.now().Add(-eventsKept), Page: eventsAtOnce}),
	)
}
