// Package submission makes forms act once, however often they are sent: a
// double click, the Back button and a repeat after a lost answer all lead to
// the first one's result.
package submission

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Outcome is where a form led to, and a word for what it did.
type Outcome struct{ LedTo, Said string }

// ErrUnfinished says that a form was sent before and its result is not known:
// the process is still working on it, or died.
var ErrUnfinished = fault.New(fault.Refused, "submission_unfinished",
	"This was sent before, and its outcome is not known yet. Look before you repeat it.")

const (
	// waitFor is how long a repeat waits for the first one's result, which
	// it checks every waitStep.
	waitFor  = 5 * time.Second
	waitStep = 50 * time.Millisecond
	// keepFor is how long outcomes are kept: as long as a page with the
	// form may stay open.
	keepFor = 24 * time.Hour
)

// Service remembers sent forms.
type Service struct{ q *db.Queries }

func New(pools db.Pools) *Service { return &Service{db.New(pools.Calls)} }

// NewToken identifies a form that is about to be shown.
func NewToken() string { return uuid.NewString() }

// Once calls act the first time that a user sends a form, and returns its
// outcome each time. If act fails, the form may be sent again, and one that was
// sent meanwhile acts.
func (s *Service) Once(
	ctx context.Context, userID int64, token string, act func() (Outcome, error),
) (Outcome, error) {
	parsed, err := uuid.Parse(token)
	if err != nil {
		return Outcome{}, fault.Fields{"token": {"is not one of ours"}}.Err()
	}
	claim := db.SubmissionClaimParams{Token: parsed, UserID: userID, Now: time.Now()}
	claimed, err := s.q.SubmissionClaim(ctx, claim)
	if err == nil && claimed == 0 {
		var out Outcome
		if out, err = s.first(ctx, userID, parsed); !errors.Is(err, errNone) {
			return out, err
		}
		claimed, err = s.q.SubmissionClaim(ctx, claim)
		if err == nil && claimed == 0 { // somebody else's
			return Outcome{}, ErrUnfinished
		}
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("claim submission: %w", err)
	}
	out, err := act()
	// If the browser has gone meanwhile, what act did is still stored.
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		if f := fault.As(err); f != nil && f.Code != fault.ErrOutcomeUnknown.Code {
			_ = s.q.SubmissionForget(ctx, db.SubmissionForgetParams{Token: parsed, UserID: userID})
		}
		return Outcome{}, err
	}
	err = s.q.SubmissionEnd(ctx, db.SubmissionEndParams{LedTo: &out.LedTo, Said: &out.Said, Token: parsed, UserID: userID})
	return out, fault.Doing("keep the outcome of a submission", err)
}

// errNone says that the user has no sending of a form that first could wait
// for: it has failed just now, so that the form may be sent again, or it was
// somebody else's.
var errNone = errors.New("no first sending")

// first waits for the outcome of the first sending.
func (s *Service) first(ctx context.Context, userID int64, token uuid.UUID) (Outcome, error) {
	for end := time.Now().Add(waitFor); ; time.Sleep(waitStep) {
		row, err := s.q.SubmissionGet(ctx, db.SubmissionGetParams{Token: token, UserID: userID})
		switch {
		case db.NoRows(err):
			return Outcome{}, errNone
		case err != nil:
			return Outcome{}, fmt.Errorf("read submission: %w", err)
		case row.LedTo != nil && row.Said != nil:
			return Outcome{LedTo: *row.LedTo, Said: *row.Said}, nil
		case time.Now().After(end):
			return Outcome{}, ErrUnfinished
		}
	}
}

// Prune deletes forms that nobody can have open any more.
func (s *Service) Prune(ctx context.Context) error {
	_, err := s.q.SubmissionPrune(ctx, time.Now().Add(-keepFor))
	return err
}
