package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"go.opentelemetry.io/otel/trace"

	"gateway.example/internal/card"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/payout"
	"gateway.example/internal/routing"
	"gateway.example/internal/tracing"
)

// positionOf is where a payment's money is in each status: pending and appeal
// hold the trader's USDT, completed has given them to merchant and platform,
// failed and cancelled have nothing. A completed payment that waits for a fresh
// rate still holds. The trader's own share of the spread never leaves their
// account. A change of status writes the movements that lead from one position
// to the other.
//
//rule:where a payment's money is in each status
func positionOf(p db.Payment) ledger.Position {
	switch status := Status(p.Status); {
	case status == Pending, status == Appeal, status == Completed && p.RateUnavailable:
		return ledger.Held(ledger.Trader, p.TraderID, p.HoldUSDT)
	case status == Completed:
		return ledger.Given(ledger.Trader, p.TraderID,
			ledger.Share{To: ledger.Available(ledger.Cashbox, p.CashboxID), Amount: p.AmountUSDT},
			ledger.Share{To: ledger.Available(ledger.Platform, 0), Amount: p.SpreadPlatformUSDT.Add(p.DifferenceUSDT)})
	}
	return nil
}

// moveMoney moves the money along with the status.
func moveMoney(from, to db.Payment, at time.Time) []db.Query { return moneyOf(from, to).Queries(at) }

//rule:what moves in the ledger when a payment changes its status
func moneyOf(from, to db.Payment) ledger.Move {
	return ledger.Move{
		Subject:   subject,
		SubjectID: to.ID,
		From:      from.Status,
		To:        to.Status,
		Was:       positionOf(from),
		Stands:    positionOf(to),
	}
}

// change is a requested change of status.
type change struct {
	to                Status
	actor             string
	reason            *string
	providerPaymentID *string
	// came is the amount that has arrived; nil if none was reported.
	came *arrival
	// late says that the payment had expired, and disputed that an appeal
	// of it is not decided.
	late, disputed bool
	// said is the report of a transfer that is to be stored, if there is
	// one, and decided is the state of the case after the change.
	said    *word
	decided string
	// until is when a case, or the wait for the rest, ends.
	until time.Time
}

// beyondHold reports whether the change takes more from the trader than was
// held for the payment, or anything from the platform. Then they must have the
// money available: a forced debit would let a trader's mere word create money.
func (c change) beyondHold(p db.Payment) bool {
	return c.late || c.came != nil && c.came.amount.GreaterThan(p.Amount) || c.platformPays(p)
}

// platformPays reports whether the platform bears a difference that is larger
// than its part of the spread.
func (c change) platformPays(p db.Payment) bool {
	if c.came == nil || !c.came.toPlatform {
		return false
	}
	worth := withArrival(p, c.came)
	return worth.SpreadPlatformUSDT.Add(worth.DifferenceUSDT).IsNegative()
}

// changeStatus makes the change that decide returns for the payment; nil is no
// change. found is the payment as the caller has read it. Usually that is still
// current; if somebody else has changed the payment meanwhile, it is read again
// and decide is called again. A card payment is locked first, because its
// checkout may change it at the same time. decide must use the queries that it
// is given: during a transaction no second connection may be free.
func (s *Service) changeStatus(
	ctx context.Context,
	found db.Payment,
	decide func(q *db.Queries, p db.Payment) (*change, error),
) (after db.Payment, err error) {
	for after = found; !cardCheckout(after); {
		c, err := decide(s.q, after)
		if err != nil || c == nil {
			return after, err
		}
		if c.beyondHold(after) { // the balance has to be checked before the commit
			break
		}
		moved, err := s.moveNow(ctx, after, *c)
		if !outdated(err) {
			return moved, err
		}
		if after, err = s.q.PaymentGet(
			ctx,
			db.PaymentGetParams{MerchantID: found.MerchantID, ID: found.ID},
		); err != nil {
			return after, fmt.Errorf("read payment: %w", err)
		}
	}
	err = s.inLocked(ctx, found.MerchantID, found.ID, func(tx pgx.Tx, p db.Payment) error {
		c, err := decide(db.New(tx), p)
		if after = p; err == nil && c != nil {
			after, err = s.move(ctx, tx, p, *c)
		}
		return err
	})
	return after, err
}

// outdated reports whether a move failed because the payment has changed since
// it was read.
func outdated(err error) bool { return db.Violated(err) == "payment_version" }

// moveNow moves a payment without a card checkout, after the given queries, all
// in one round trip, which it may share with others that move. If the payment
// has changed since it was read, nothing is moved; see outdated.
func (s *Service) moveNow(ctx context.Context, from db.Payment, c change, before ...db.Query) (db.Payment, error) {
	to, queries, err := s.moveQueries(from, c, nil)
	if err != nil {
		return from, err
	}
	ctx, span := traceMove(ctx, from, c)
	defer span.End()
	money := moneyOf(from, to).Plan(to.StatusAt, true)
	reservation := moveReservation(from, to)
	if len(before)+len(money.Debits) == 0 {
		err = s.changing.Write(ctx, append(queries, money.Record...), reserved(to, reservation)...)
	} else { // an account is not locked while others' payments are moved
		err = db.Write(ctx, s.pool, slices.Concat(before, queries, reservation, money.Debits, money.Record)...)
	}
	if err != nil {
		tracing.Failed(span, true)
		return from, fmt.Errorf("move payment: %w", err)
	}
	return to, nil
}

// move moves a payment that the transaction has locked. If the platform would
// pay more than it has, the payment becomes a case instead.
func (s *Service) move(ctx context.Context, tx pgx.Tx, from db.Payment, c change) (after db.Payment, err error) {
	if !c.platformPays(from) {
		return s.moveCovered(ctx, tx, from, c)
	}
	err = pgx.BeginFunc(ctx, tx, func(attempt pgx.Tx) error {
		after, err = s.moveCovered(ctx, attempt, from, c)
		return err
	})
	if errors.Is(err, payout.ErrTraderShort) {
		s.becomesCase(&c, reasonUncovered)
		return s.moveCovered(ctx, tx, from, c)
	}
	return after, err
}

// moveCovered is move if the accounts cover what the change takes.
func (s *Service) moveCovered(ctx context.Context, tx pgx.Tx, from db.Payment, c change) (db.Payment, error) {
	shown, err := s.cardShown(ctx, tx, from)
	if err != nil {
		return from, err
	}
	to, queries, err := s.moveQueries(from, c, shown)
	if err != nil {
		return from, err
	}
	money := moneyOf(from, to).Plan(to.StatusAt, !c.beyondHold(from))
	ctx, span := traceMove(ctx, from, c)
	defer span.End()
	if err := db.Pipeline(ctx, tx, slices.Concat(queries, moveReservation(from, to), money.Debits, money.Record)...); err != nil {
		tracing.Failed(span, true)
		return from, fmt.Errorf("move payment: %w", err)
	}
	if c.beyondHold(from) && !money.Covered() {
		return from, payout.ErrTraderShort
	}
	return to, nil
}

// traceMove begins a span for a change of status, in the trace of the payment's
// creation.
func traceMove(ctx context.Context, p db.Payment, c change) (context.Context, trace.Span) {
	ctx, span := tracing.Continue(ctx, p.RequestID, "payment "+string(c.to))
	span.SetAttributes(tracing.Payment.Int64(p.ID))
	return ctx, span
}

// moveQueries are the queries that move a payment to another status: row,
// history, webhook; its reservation and the money come after them. It also
// returns the row after the move.
func (s *Service) moveQueries(from db.Payment, c change, shown *card.Shown) (db.Payment, []db.Query, error) {
	now := s.clock.Now()
	to := from
	to.Status, to.StatusReason, to.StatusAt = string(c.to), c.reason, now
	to.EventSequence++
	to.Version++
	if c.to == Pending {
		// A payment that is set back to pending gets its full validity
		// again.
		to.ExpiresAt = now.Add(s.settings.Validity(from.CashboxID, from.Method))
	}
	if !c.until.IsZero() {
		to.ExpiresAt = c.until
	}
	if c.came == nil && counted(from).IsPositive() && !countsToday(to) {
		c.came, c.decided = &arrival{amount: counted(from)}, caseEnded
	}
	if c.providerPaymentID != nil {
		to.ProviderPaymentID = c.providerPaymentID
	}
	if from.ReceivedAmount.Valid || c.came != nil {
		to = withArrival(to, c.came)
	}
	event, err := statusEvent(from, to, c, shown)
	if err != nil {
		return from, nil, err
	}
	queries := []db.Query{
		db.Do((*db.Queries).PaymentMove, db.PaymentMoveParams{
			MerchantID:        to.MerchantID,
			ID:                to.ID,
			Status:            to.Status,
			StatusReason:      to.StatusReason,
			StatusAt:          to.StatusAt,
			ExpiresAt:         to.ExpiresAt,
			ProviderPaymentID: to.ProviderPaymentID,
			EventSequence:     to.EventSequence,
			Version:           from.Version,
		}),
		record(c, from.MerchantID, from.ID, &from.Status, now),
	}
	queries = append(queries, event.Insert()...)
	queries = append(queries, keepArrival(from, to)...)
	queries = append(queries, moveArrivals(from, to, c, now)...)
	if shown != nil && shown.Holder != nil {
		queries = append(queries, event.NoteHolder())
	}
	queries = append(queries, moveDue(from, to, now)...)
	queries = append(queries, s.moveCard(to, now)...)
	queries = append(queries, moveAppeal(from, to, now)...)
	return to, queries, nil
}

// record is the query that adds a change to the history; from is nil for the
// creation. An amount that was reported is noted even if nothing moves; as
// settled it is noted only if it was taken.
func record(c change, merchantID, id int64, from *string, at time.Time) db.Query {
	var came, settled decimal.NullDecimal
	if c.came != nil {
		came = decimal.NewNullDecimal(c.came.amount)
		if c.came.taken {
			settled = came
		}
	}
	return db.Do((*db.Queries).PaymentHistoryInsert, db.PaymentHistoryInsertParams{
		MerchantID: merchantID,
		PaymentID:  id,
		At:         at,
		Actor:      c.actor,
		FromStatus: from,
		ToStatus:   string(c.to),
		Reason:     c.reason,

		ReceivedAmount: came, SettledAmount: settled,
	})
}

// slotRest is how long after an unpaid end a requisite is not given the same
// amount again, so that a late transfer is not taken for that of the next
// payer.
const slotRest = 15 * time.Minute

// moveReservation updates the count of the requisite's day, and frees the slot
// or takes it again if it is free: in the same order as creations do.
func moveReservation(from, to db.Payment) []db.Query {
	if to.RequisiteID == nil {
		return nil
	}
	var queries []db.Query
	if counts := countsToday(to); to.RequisiteDay != nil && counts != countsToday(from) {
		queries = append(queries, routing.CountDay(*to.RequisiteID, *to.RequisiteDay, to.Amount, counts))
	}
	return append(queries, moveSlot(from, to, to.StatusAt)...)
}

// reserved makes what changes a payment's reservation wait for its turn.
func reserved(p db.Payment, reservation []db.Query) []db.Lock {
	if p.RequisiteID == nil {
		return nil
	}
	return db.Locks(db.LocksRequisite, *p.RequisiteID, reservation...)
}

// moveSlot frees or takes the requisite's slot for the amount that the payment
// still waits for. A card checkout has no slot.
func moveSlot(from, to db.Payment, now time.Time) []db.Query {
	if cardCheckout(to) {
		return nil
	}
	slot := routing.Slot{RequisiteID: *to.RequisiteID, Amount: expected(to), PaymentID: to.ID}
	freeAt := now
	if !countsToday(to) { // a late transfer may still come
		freeAt = now.Add(slotRest)
	}
	var queries []db.Query
	if had := expected(from); !had.Equal(slot.Amount) {
		queries = append(queries, routing.Slot{RequisiteID: slot.RequisiteID, Amount: had, PaymentID: to.ID}.Free(freeAt, now))
	}
	switch Status(to.Status) {
	case Completed, Failed, Cancelled:
		return append(queries, slot.Free(freeAt, now))
	case Pending:
		return append(queries, slot.Take(now))
	case Appeal:
	}
	return queries
}

// countsToday reports whether the payment counts towards its requisite's daily
// limits: it does unless it ended unpaid.
func countsToday(p db.Payment) bool {
	return Status(p.Status) != Failed && Status(p.Status) != Cancelled
}

// moveDue keeps the invariant that a completed payment is either settled or has
// a due row.
func moveDue(from, to db.Payment, now time.Time) []db.Query {
	switch {
	case !to.RateUnavailable:
		return nil
	case Status(from.Status) == Completed:
		return []db.Query{db.One(new(int64), (*db.Queries).SettlementDueDelete,
			db.SettlementDueDeleteParams{MerchantID: to.MerchantID, PaymentID: to.ID})}
	case Status(to.Status) == Completed:
		return []db.Query{db.Do((*db.Queries).SettlementDueInsert, db.SettlementDueInsertParams{
			MerchantID: to.MerchantID, PaymentID: to.ID, Currency: to.Currency, Since: now,
		})}
	}
	return nil
}
