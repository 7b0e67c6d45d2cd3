package work

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// ErrTaken says that another operator is working on it.
var ErrTaken = fault.New(fault.Conflict, "work_taken", "Another operator has taken this.")

const (
	// ClaimLasts is how long a claim protects the work of an operator,
	// unless another operator takes it over.
	ClaimLasts = 30 * time.Minute
	// keepFor is how long claims are kept that nobody released.
	keepFor = 24 * time.Hour
)

// Claim says who is working on something.
type Claim struct {
	UserID int64
	Login  string
	Since  time.Time
	// Mine tells that the claim is the caller's; Stale that it is so old
	// that others may take the work.
	Mine, Stale bool
}

// Others reports whether another operator has a claim that is still protected.
func (c Claim) Others() bool { return !c.Mine && !c.Stale }

// Claims are claims of one kind, by the ids of their subjects.
func (s *Service) Claims(ctx context.Context, who caller.Caller, kind Kind, ids []int64) (map[int64]Claim, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	claims := map[int64]Claim{}
	rows, err := db.New(s.reads).WorkClaims(ctx, db.WorkClaimsParams{Kind: string(kind), SubjectIds: ids})
	if err != nil {
		return nil, fmt.Errorf("read who works on %s: %w", kind, err)
	}
	stale := s.clock.Now().Add(-ClaimLasts)
	for _, row := range rows {
		claims[row.SubjectID] = Claim{
			UserID: row.UserID, Login: row.Login, Since: row.Since,
			Mine: row.UserID == who.ID, Stale: !row.Since.After(stale),
		}
	}
	return claims, nil
}

// Taken is the claim on something, or nil.
func (s *Service) Taken(ctx context.Context, who caller.Caller, kind Kind, id int64) (*Claim, error) {
	claims, err := s.Claims(ctx, who, kind, []int64{id})
	if err != nil {
		return nil, err
	}
	if claim, taken := claims[id]; taken {
		return &claim, nil
	}
	return nil, nil //nolint:nilnil // nobody
}

// needs are the capabilities for working on each kind.
func needs(kind Kind) []caller.Capability {
	switch kind {
	case Deposit, Withdrawal, Short, Overdrawn:
		return []caller.Capability{caller.OperatorMoney}
	case Feed:
		return []caller.Capability{caller.OperatorRates}
	case Idle:
		return []caller.Capability{caller.OperatorDirectory, caller.OperatorCases}
	case OtherAmount, Objection, Appeal, AppealAnswer, Overdue, Conflict, DeadEvents:
	}
	return []caller.Capability{caller.OperatorCases}
}

// MayTake reports whether a caller may work on a kind.
func MayTake(who caller.Caller, kind Kind) bool { return mayTake(who, kind) == nil }

// mayTake does not ask for a fresh second factor; the decision itself does so
// if it is needed.
func mayTake(who caller.Caller, kind Kind) error {
	return who.Proved().Need(needs(kind)...)
}

// Take claims something for the caller. If another operator has a fresh claim,
// it returns ErrTaken unless over is true.
func (s *Service) Take(ctx context.Context, who caller.Caller, kind Kind, id int64, over bool) error {
	if err := s.checkClaim(ctx, who, kind); err != nil {
		return err
	}
	q, now := db.New(s.pool), s.clock.Now()
	waits, err := q.WorkWaits(ctx, db.WorkWaitsParams{Kind: string(kind), SubjectID: id})
	if err != nil {
		return fmt.Errorf("look whether it waits: %w", err)
	}
	if !waits {
		return fault.ErrNotFound
	}
	taken, err := q.WorkClaimTake(ctx, db.WorkClaimTakeParams{
		Kind: string(kind), SubjectID: id, UserID: who.ID, Now: now, Stale: now.Add(-ClaimLasts), Over: over,
	})
	if err != nil {
		return fmt.Errorf("take %s: %w", kind, err)
	}
	if taken == 0 {
		return ErrTaken
	}
	return nil
}

// checkClaim refuses callers who decide nothing before it tells them which
// kinds there are, and then those who do not decide about this kind. It asks
// for no fresh second factor.
func (s *Service) checkClaim(ctx context.Context, who caller.Caller, kind Kind) error {
	err := who.Proved().Need(caller.OperatorCases, caller.OperatorMoney, caller.OperatorRates, caller.OperatorDirectory)
	if err != nil {
		return err
	}
	f := fault.Decoded(ctx)
	f.Check(kind.known(), "kind", "must be one of %v", Kinds())
	if err := f.Err(); err != nil {
		return err
	}
	return mayTake(who, kind)
}

// Release ends the caller's claim. It does not change a claim of another
// operator.
func (s *Service) Release(ctx context.Context, who caller.Caller, kind Kind, id int64) error {
	if err := s.checkClaim(ctx, who, kind); err != nil {
		return err
	}
	err := db.New(s.pool).WorkClaimRelease(ctx, db.WorkClaimReleaseParams{
		Kind: string(kind), SubjectID: id, UserID: who.ID,
	})
	if err != nil {
		return fmt.Errorf("release %s: %w", kind, err)
	}
	return nil
}

// Prune deletes old claims. It may run at any time and more than once.
func (s *Service) Prune(ctx context.Context) error {
	return db.New(s.pool).WorkClaimPrune(ctx, s.clock.Now().Add(-keepFor))
}
