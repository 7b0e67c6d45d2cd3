package payout

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/tracing"
)

// positionOf is where a payout's money is in each status: waiting and
// processing freeze it, completed has divided it between trader and platform,
// the others have nothing.
//
//rule:where a payout's money is in each status
func positionOf(p db.Payout) ledger.Position {
	if p.ReturnOf != nil {
		return positionOfReturn(p)
	}
	switch Status(p.Status) {
	case Waiting, Processing:
		return ledger.Held(ledger.Cashbox, p.CashboxID, p.FrozenUSDT)
	case Completed:
		return ledger.Given(ledger.Cashbox, p.CashboxID,
			ledger.Share{To: ledger.Available(ledger.Trader, *p.TraderID), Amount: p.TraderUSDT.Decimal},
			ledger.Share{To: ledger.Available(ledger.Platform, 0), Amount: p.PlatformUSDT.Decimal})
	default:
		return nil
	}
}

// moveMoney moves the money along with the status. Releasing frozen money needs
// no check, since the row lock lets it happen only once. A reversal may
// overdraw accounts, because the money may have been spent.
//
//rule:what moves in the ledger when a payout changes its status
func moveMoney(from, to db.Payout, at time.Time) []db.Query {
	return ledger.Move{
		Subject:   subject,
		SubjectID: to.ID,
		From:      from.Status,
		To:        to.Status,
		Was:       positionOf(from),
		Stands:    positionOf(to),
	}.Queries(at)
}

// change is a requested change of status.
type change struct {
	to     Status
	actor  string
	reason *string
	proof  *string
	// may returns why the locked payout may not be changed like this, or
	// nil; without the function it may.
	may func(*db.Queries, db.Payout) error
	// byTrader says that the trader gives the payout back.
	byTrader bool
}

// end moves a locked payout to a final status: row, history, webhook and, last,
// the money.
func (s *Service) end(ctx context.Context, tx pgx.Tx, from db.Payout, c change) (db.Payout, error) {
	now := s.clock.Now()
	to := from
	to.Status, to.StatusReason, to.StatusAt = string(c.to), c.reason, now
	to.EventSequence++
	event, err := statusEvent(from, to)
	if err != nil {
		return from, err
	}
	queries := []db.Query{
		db.One(&to, (*db.Queries).PayoutEnd, db.PayoutEndParams{
			MerchantID: from.MerchantID, ID: from.ID, Status: string(c.to), StatusReason: c.reason, Now: now,
			ProofReference: c.proof,
		}),
		record(c, from.MerchantID, from.ID, &from.Status, now),
	}
	queries = append(queries, event.Insert()...)
	ctx, span := tracing.Continue(ctx, from.RequestID, "payout "+string(c.to))
	defer span.End()
	span.SetAttributes(tracing.Payout.Int64(from.ID))
	if err := db.Pipeline(ctx, tx, append(queries, moveMoney(from, to, now)...)...); err != nil {
		tracing.Failed(span, true)
		return from, fmt.Errorf("end payout: %w", err)
	}
	return to, nil
}

func record(c change, merchantID, id int64, from *string, at time.Time) db.Query {
	return db.Do((*db.Queries).PayoutHistoryInsert, db.PayoutHistoryInsertParams{
		MerchantID: merchantID,
		PayoutID:   id,
		At:         at,
		Actor:      c.actor,
		FromStatus: from,
		ToStatus:   string(c.to),
		Reason:     c.reason,
	})
}
