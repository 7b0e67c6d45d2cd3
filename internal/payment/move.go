package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
	"gateway/internal/ledger"
	"gateway/internal/routing"
)

// position is where a payment's money stands. A status is a position: pending and appeal hold, completed is settled,
// failed and cancelled are neither. A completed payment that waits for a fresh rate still holds.
type position struct {
	trader, cashbox int64
	// hold is what the trader puts up; amount and platform are what merchant and platform get.
	hold, amount, platform decimal.Decimal
	held, settled          bool
}

func positionOf(p db.Payment) position {
	status := Status(p.Status)
	due := status == Completed && p.RateUnavailable
	return position{
		trader: p.TraderID, cashbox: p.CashboxID,
		hold: p.HoldUSDT, amount: p.AmountUSDT, platform: p.SpreadPlatformUSDT,
		held:    status == Pending || status == Appeal || due,
		settled: status == Completed && !due,
	}
}

// transfers are what brings the money into the position, from nothing. The trader gives what merchant and platform get:
// his own share of the spread never leaves him.
func (p position) transfers() []ledger.Transfer {
	trader := ledger.Available(ledger.Trader, p.trader)
	switch {
	case p.held:
		return []ledger.Transfer{{Debit: trader, Credit: ledger.Reserved(ledger.Trader, p.trader), Amount: p.hold}}
	case p.settled:
		return []ledger.Transfer{
			{Debit: trader, Credit: ledger.Available(ledger.Cashbox, p.cashbox), Amount: p.amount},
			{Debit: trader, Credit: ledger.Available(ledger.Platform, 0), Amount: p.platform},
		}
	}
	return nil
}

// shift plans the way from one position to another. It is forced, since any status may follow any other whatever was
// spent in between.
func shift(ctx context.Context, from, to db.Payment, at time.Time) *ledger.Posting {
	cause := ledger.Cause{Kind: from.Status + "-" + to.Status, Subject: subject, SubjectID: to.ID, At: at}
	return ledger.Plan(ctx, cause, true, ledger.Shift(positionOf(from).transfers(), positionOf(to).transfers())...)
}

// change is a status move somebody asks for.
type change struct {
	to                Status
	actor             string
	reason            *string
	providerPaymentID *string
}

// move carries a locked payment to another status: row, history, reservation, webhook, and last the money, written in
// one round trip.
func (s *Service) move(ctx context.Context, tx pgx.Tx, from db.Payment, c change) (db.Payment, error) {
	now := s.clock.Now()
	expiresAt, err := expiry(ctx, db.New(tx), from, c.to, now)
	if err != nil {
		return from, err
	}
	to := from
	to.Status, to.StatusReason, to.StatusAt, to.ExpiresAt = string(c.to), c.reason, now, expiresAt
	to.EventSequence++
	shown, err := s.cardShown(ctx, tx, from)
	if err != nil {
		return from, err
	}
	event, err := statusEvent(from, to, shown)
	if err != nil {
		return from, err
	}
	queries := []db.Query{
		func(q *db.Queries) (err error) {
			to, err = q.PaymentMove(ctx, db.PaymentMoveParams{
				MerchantID: from.MerchantID, ID: from.ID, Status: string(c.to), StatusReason: c.reason, StatusAt: now,
				ExpiresAt: expiresAt, ProviderPaymentID: c.providerPaymentID,
			})
			return err
		},
		record(ctx, c, from.MerchantID, from.ID, &from.Status, now),
		event.Insert(ctx),
	}
	queries = append(queries, moveReservation(ctx, from, to, now)...)
	queries = append(queries, moveDue(ctx, from, to, now)...)
	queries = append(queries, s.moveCard(ctx, to, now)...)
	queries = append(queries, moveAppeal(ctx, from, to, now)...)
	money := shift(ctx, from, to, now)
	queries = append(append(queries, money.Debits...), money.Record...)
	if err := db.Pipeline(ctx, tx, queries...); err != nil {
		return from, fmt.Errorf("move payment: %w", err)
	}
	return to, nil
}

// record writes a row of history.
func record(ctx context.Context, c change, merchantID, id int64, from *string, at time.Time) db.Query {
	return func(q *db.Queries) error {
		return q.PaymentHistoryInsert(ctx, db.PaymentHistoryInsertParams{
			MerchantID: merchantID, PaymentID: id, At: at, Actor: c.actor,
			FromStatus: from, ToStatus: string(c.to), Reason: c.reason,
		})
	}
}

// expiry gives a payment that is set back to pending its full validity again.
func expiry(ctx context.Context, q *db.Queries, p db.Payment, to Status, now time.Time) (time.Time, error) {
	if to != Pending {
		return p.ExpiresAt, nil
	}
	seconds, err := q.CashboxMethodValidity(ctx, db.CashboxMethodValidityParams{CashboxID: p.CashboxID, Method: p.Method})
	if err != nil {
		return p.ExpiresAt, fmt.Errorf("read validity: %w", err)
	}
	return now.Add(validity(&seconds)), nil
}

// slotRest is how long a requisite keeps an amount free of new payments after a payment ended unpaid, so that a late
// transfer is not taken for the next payer's.
const slotRest = 15 * time.Minute

// moveReservation frees the slot, or takes it again if nobody else has, and keeps the count of the requisite's day.
func moveReservation(ctx context.Context, from, to db.Payment, now time.Time) []db.Query {
	if to.RequisiteID == nil {
		return nil
	}
	queries := moveSlot(ctx, to, now)
	if counts := countsToday(to); to.RequisiteDay != nil && counts != countsToday(from) {
		queries = append(queries, routing.CountDay(ctx, *to.RequisiteID, *to.RequisiteDay, to.Amount, counts))
	}
	return queries
}

// moveSlot frees or takes a requisite's slot. A desk that takes cards has none.
func moveSlot(ctx context.Context, to db.Payment, now time.Time) []db.Query {
	if cardCheckout(to) {
		return nil
	}
	id, want := *to.RequisiteID, routing.Want{PaymentID: to.ID, Amount: to.Amount, Now: now}
	switch Status(to.Status) {
	case Completed:
		return []db.Query{routing.FreeSlot(ctx, id, want, now)}
	case Failed, Cancelled:
		return []db.Query{routing.FreeSlot(ctx, id, want, now.Add(slotRest))}
	case Pending:
		return []db.Query{routing.TakeSlot(ctx, id, nil, want, new(bool))}
	case Appeal:
	}
	return nil
}

// countsToday reports whether the payment uses up its requisite's day: unless it ended unpaid, it does.
func countsToday(p db.Payment) bool {
	return Status(p.Status) != Failed && Status(p.Status) != Cancelled
}

// moveDue keeps the rule that a completed payment is settled or has a due row, never both.
func moveDue(ctx context.Context, from, to db.Payment, now time.Time) []db.Query {
	switch {
	case !to.RateUnavailable:
		return nil
	case Status(from.Status) == Completed:
		return []db.Query{func(q *db.Queries) error {
			_, err := q.SettlementDueDelete(ctx, db.SettlementDueDeleteParams{MerchantID: to.MerchantID, PaymentID: to.ID})
			return err
		}}
	case Status(to.Status) == Completed:
		return []db.Query{func(q *db.Queries) error {
			return q.SettlementDueInsert(ctx, db.SettlementDueInsertParams{
				MerchantID: to.MerchantID, PaymentID: to.ID, Currency: to.Currency, Since: now,
			})
		}}
	}
	return nil
}
