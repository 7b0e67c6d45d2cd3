package checkout

import (
	"context"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// Conflict is an attempt whose result does not agree with its payment. An
// operator has to look into it.
type Conflict struct {
	ID        int64
	PaymentID int64
	AttemptID uuid.UUID
	// PaymentStatus is the status of the payment when the conflict was
	// found, and AttemptState what the acquirer said.
	PaymentStatus payment.Status
	AttemptState  string
	CreatedAt     time.Time
	// ClosedAt is when an operator closed it, or nil.
	ClosedAt *time.Time
}

func conflictFromRow(row db.CardConflict) Conflict {
	return Conflict{
		ID:            row.ID,
		PaymentID:     row.PaymentID,
		AttemptID:     row.AttemptID,
		PaymentStatus: payment.Status(row.PaymentStatus),
		AttemptState:  row.AttemptState,
		CreatedAt:     row.CreatedAt,
		ClosedAt:      row.ClosedAt,
	}
}

// ListConflicts lists the open conflicts, the newest first. The cursor is nil
// on the last page.
func (s *Service) ListConflicts(
	ctx context.Context,
	who caller.Caller,
	size *int32,
	cursor *string,
) ([]Conflict, *string, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, nil, err
	}
	rows, next, err := db.ListPage(ctx, s.reads, fault.Decoded(ctx), db.Page{Limit: size, Cursor: cursor}, "list conflicts",
		func(q *db.Queries, before int64, rows int32) ([]db.CardConflict, error) {
			return q.ConflictListOpen(ctx, db.ConflictListOpenParams{BeforeID: before, Page: rows})
		}, func(c db.CardConflict) int64 { return c.ID })
	return db.Each(rows, conflictFromRow), next, err
}

// GetConflict reads a conflict, open or closed.
func (s *Service) GetConflict(ctx context.Context, who caller.Caller, id int64) (Conflict, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return Conflict{}, err
	}
	row, err := s.q.ConflictGet(ctx, id)
	if err != nil {
		return Conflict{}, db.Missing(err, fault.ErrNotFound, "read conflict")
	}
	return conflictFromRow(row), nil
}

// CloseConflict stores that an operator has dealt with a conflict.
func (s *Service) CloseConflict(ctx context.Context, who caller.Caller, id int64) (Conflict, error) {
	if err := who.Admit(ctx, caller.OperatorCases); err != nil {
		return Conflict{}, err
	}
	now, actor := s.clock.Now(), who.Actor()
	row, err := s.q.ConflictClose(ctx, db.ConflictCloseParams{ID: id, ClosedAt: &now, ClosedBy: &actor})
	if db.NoRows(err) {
		return Conflict{}, fault.ErrNotFound
	}
	return conflictFromRow(row), err
}

// OpenConflicts counts the open conflicts.
func (s *Service) OpenConflicts(ctx context.Context) (int64, error) { return s.q.ConflictCount(ctx) }
