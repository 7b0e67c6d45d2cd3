package withdrawal

import (
	"context"
	"slices"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
)

// Page asks for a page of withdrawals, newest first.
type Page struct {
	db.Page
	db.Span
	// Status, CashboxID and OrderID filter; nil is any. OrderID filters for
	// owners alone, and so does the time.
	Status    *string
	CashboxID *int64
	OrderID   *string
}

// List lists the caller's withdrawals; for an operator it lists everybody's.
// The cursor is nil on the last page.
func (s *Service) List(ctx context.Context, who caller.Caller, page Page) ([]Withdrawal, *string, error) {
	var own owner
	err := who.Need(caller.OperatorRead)
	if who.Kind != caller.Operator {
		own, err = reading(who)
	}
	if err != nil {
		return nil, nil, err
	}
	f := fault.Decoded(ctx)
	page.Check(f)
	f.Check(page.Status == nil || slices.Contains(Statuses, *page.Status), "status", "must be one of: %s",
		strings.Join(Statuses, ", "))
	rows, cursor, err := db.ListPage(ctx, s.reads, f, page.Page, "list withdrawals",
		func(q *db.Queries, before int64, rows int32) ([]db.Withdrawal, error) {
			return page.read(ctx, q, own, before, rows)
		},
		func(w db.Withdrawal) int64 { return w.ID })
	return db.Each(rows, fromRow), cursor, err
}

func (p Page) read(ctx context.Context, q *db.Queries, own owner, before int64, rows int32) ([]db.Withdrawal, error) {
	if own.kind == "" {
		return q.WithdrawalList(ctx, db.WithdrawalListParams{
			BeforeID: before, Status: p.Status, CashboxID: p.CashboxID, Page: rows,
		})
	}
	return q.WithdrawalListOwn(ctx, db.WithdrawalListOwnParams{
		OwnerKind: own.kind, OwnerID: own.id, BeforeID: before, Status: p.Status, CashboxID: p.CashboxID, OrderID: p.OrderID,
		CreatedFrom: p.From, CreatedTo: p.To, Page: rows,
	})
}

type Move struct {
	At time.Time
	// From is "" at the creation.
	From, To string
	// Actor is who changed it, as far as the caller may know that.
	Actor  string
	Reason string
}

// History lists the changes of a withdrawal's status, the oldest first.
func (s *Service) History(ctx context.Context, who caller.Caller, id int64) ([]Move, error) {
	if _, err := s.seen(ctx, who, id); err != nil {
		return nil, err
	}
	rows, err := s.q.WithdrawalHistoryList(ctx, id)
	return db.Each(rows, func(row db.WithdrawalHistory) Move {
		return Move{
			At: row.At, From: optional.Value(row.FromStatus), To: row.ToStatus, Actor: who.Knows(row.Actor), Reason: optional.Value(row.Reason),
		}
	}), fault.Doing("read the history of a withdrawal", err)
}
