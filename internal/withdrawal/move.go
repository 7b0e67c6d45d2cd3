package withdrawal

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
)

// positionOf is where a withdrawal's money is in each status. Amount and fee
// are reserved until it is paid; then the amount has left the platform, and the
// platform has the fee.
func positionOf(w db.Withdrawal) ledger.Position {
	owner, id := payer(w)
	switch Status(w.Status) {
	case Requested, Approved, HandedOver:
		return ledger.Held(owner, id, w.Amount.Add(w.Fee))
	case Completed:
		return ledger.Given(owner, id,
			ledger.Share{To: ledger.Available(ledger.External, 0), Amount: w.Amount},
			ledger.Share{To: ledger.Available(ledger.Platform, 0), Amount: w.Fee})
	default:
		return nil
	}
}

// change is a requested change of status.
type change struct {
	to     Status
	actor  string
	reason *string
	// hash is the transaction that pays it, if that is set together with
	// the status.
	hash *string
	// handOver is the list on which it is put.
	handOver int64
}

// move changes the status of a locked withdrawal: row, history, webhook and
// money. The row is found only in the status in which it was locked, so money
// moves only once.
func (s *Service) move(ctx context.Context, q *db.Queries, from db.Withdrawal, c change) (db.Withdrawal, error) {
	now := s.clock.Now()
	sequence := from.EventSequence
	if from.CashboxID != nil {
		sequence++
	}
	var to db.Withdrawal
	var err error
	if c.to == HandedOver {
		to, err = q.WithdrawalHandOver(ctx, db.WithdrawalHandOverParams{
			ID: from.ID, Now: now, EventSequence: sequence, HandOverID: &c.handOver,
		})
	} else {
		hash := from.TransactionHash
		if c.hash != nil {
			hash = c.hash
		}
		to, err = q.WithdrawalMove(ctx, db.WithdrawalMoveParams{
			ID: from.ID, Was: from.Status, Status: string(c.to), StatusReason: c.reason, Now: now, EventSequence: sequence,
			TransactionHash: hash,
		})
	}
	if err != nil {
		return from, fmt.Errorf("move withdrawal: %w", err)
	}
	err = q.WithdrawalHistoryInsert(ctx, db.WithdrawalHistoryInsertParams{
		WithdrawalID: to.ID, At: now, Actor: c.actor, FromStatus: &from.Status, ToStatus: to.Status, Reason: c.reason,
	})
	if err != nil {
		return from, fmt.Errorf("record withdrawal: %w", err)
	}
	if err := tell(ctx, q, from, to); err != nil {
		return from, err
	}
	return to, moveMoney(ctx, q, from, to, now)
}

// moveMoney moves the money along with the status. Releasing reserved money
// needs no check, since the row's status lets it happen only once.
func moveMoney(ctx context.Context, q *db.Queries, from, to db.Withdrawal, at time.Time) error {
	move := ledger.Move{
		Subject: subject, SubjectID: to.ID, From: from.Status, To: to.Status, Was: positionOf(from), Stands: positionOf(to),
	}
	return fault.Doing("move the money of a withdrawal", db.Run(ctx, q, move.Queries(at)...))
}
