package payout

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
	"gateway/internal/ledger"
)

// position is where a payout's money stands. Waiting and processing freeze; completed has divided what was frozen
// between trader and platform; the others stand nowhere.
type position struct {
	cashbox, trader int64
	status          Status
	// frozen is the sum; of it divided give trader and platform.
	frozen, traderPart, platformPart decimal.Decimal
}

func positionOf(p db.Payin) position {
	at := position{
		cashbox: p.CashboxID, status: Status(p.Status), frozen: p.FrozenUSDT,
		traderPart: p.TraderUSDT.Decimal, platformPart: p.PlatformUSDT.Decimal,
	}
	if p.TraderID != nil {
		at.trader = *p.TraderID
	}
	return at
}

// transfers are what brings the money into the position, from nothing.
func (p position) transfers() []ledger.Transfer {
	cashbox := ledger.Available(ledger.Cashbox, p.cashbox)
	switch p.status {
	case Waiting, Processing:
		return []ledger.Transfer{{Debit: cashbox, Credit: ledger.Reserved(ledger.Cashbox, p.cashbox), Amount: p.frozen}}
	case Completed:
		return []ledger.Transfer{
			{Debit: cashbox, Credit: ledger.Available(ledger.Trader, p.trader), Amount: p.traderPart},
			{Debit: cashbox, Credit: ledger.Available(ledger.Platform, 0), Amount: p.platformPart},
		}
	default:
		return nil
	}
}

// shift plans the way from one position to another. Releasing reserved money needs no check: the payout's row lock makes its
// release single. Only a reversal takes available money, by force, since it may be spent.
func shift(from, to db.Payin, at time.Time) []db.Query {
	cause := ledger.Cause{Kind: from.Status + "-" + to.Status, Subject: subject, SubjectID: to.ID, At: at}
	posting := ledger.Plan(cause, true, ledger.Shift(positionOf(from).transfers(), positionOf(to).transfers())...)
	return append(posting.Debits, posting.Record...)
}

// change is a status move somebody asks for.
type change struct {
	to     Status
	actor  string
	reason *string
	proof  *string
}

// end carries a locked payout to a terminal status: row, history, webhook and last the money.
func (s *Service) end(ctx context.Context, tx pgx.Tx, from db.Payin, c change) (db.Payin, error) {
	now := s.clock.Now()
	to := from
	to.Status, to.StatusReason, to.StatusAt = string(c.to), c.reason, now
	to.EventSequence++
	event, err := statusEvent(from, to)
	if err != nil {
		return from, err
	}
	queries := []db.Query{
		db.One(&to, (*db.Queries).PayinEnd, db.PayinEndParams{
			MerchantID: from.MerchantID, ID: from.ID, Status: string(c.to), StatusReason: c.reason, Now: now,
			ProofReference: c.proof,
		}),
		record(c, from.MerchantID, from.ID, &from.Status, now),
		event.Insert(),
	}
	if err := db.Pipeline(ctx, tx, append(queries, shift(from, to, now)...)...); err != nil {
		return from, fmt.Errorf("end payout: %w", err)
	}
	return to, nil
}

// record writes a row of history.
func record(c change, merchantID, id int64, from *string, at time.Time) db.Query {
	return db.Do((*db.Queries).PayinHistoryInsert, db.PayinHistoryInsertParams{
		MerchantID: merchantID, PayinID: id, At: at, Actor: c.actor, FromStatus: from, ToStatus: string(c.to), Reason: c.reason,
	})
}
