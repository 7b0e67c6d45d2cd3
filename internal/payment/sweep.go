package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/rate"
	"gateway.example/internal/tracing"
)

const (
	sweepBatch  = 500
	actorSystem = "system"
)

// Expire fails pending payments that are overdue and cases that nobody has
// decided in time, the oldest first, and returns how many. Processes that
// expire payments at the same time skip each other's rows.
//
//rule:when a payment expires
func (s *Service) Expire(ctx context.Context) (int, error) {
	if err := s.serve(ctx); err != nil {
		return 0, err
	}
	now, reason := s.clock.Now(), reasonExpired
	expired := change{to: Failed, actor: actorSystem, reason: &reason}
	list := func(putOff []int64, page int32) ([]db.Payment, error) {
		rows, err := s.q.PaymentsExpired(ctx, db.PaymentsExpiredParams{Now: now, PutOff: putOff, Page: page})
		if err != nil || len(rows) == int(page) {
			return rows, err
		}
		cases, err := s.q.CasesExpired(ctx, db.CasesExpiredParams{Now: now, PutOff: putOff, Page: page - int32(len(rows))})
		return append(rows, cases...), err
	}
	return db.SweepDue(ctx, s.expiring, s.pool, sweepBatch, db.Rows[db.Payment]{
		List:     list,
		Key:      func(p db.Payment) (int64, int64) { return p.MerchantID, p.ID },
		Free:     paymentsFree,
		Together: func(ctx context.Context, rows []db.Payment) error { return s.expireTogether(ctx, rows, expired) },
		Do: func(ctx context.Context, p db.Payment) (bool, error) {
			if cardCheckout(p) {
				return s.expireLocked(ctx, p, now, expired)
			}
			_, err := s.moveNow(ctx, p, expired, db.WaitBriefly())
			if outdated(err) { // somebody has moved it since it was listed
				return false, nil
			}
			return err == nil, err
		},
	})
}

// errAlone says that a payment cannot be expired together with others.
var errAlone = errors.New("a card payment is locked before it expires")

// expireTogether expires payments without a card checkout in one transaction,
// which takes half of what one for each would. If one of them has changed
// meanwhile, none expires.
func (s *Service) expireTogether(ctx context.Context, payments []db.Payment, expired change) (err error) {
	var parts []db.Part
	for _, p := range payments {
		if cardCheckout(p) {
			return errAlone
		}
		to, moves, err := s.moveQueries(p, expired, nil)
		if err != nil {
			return err
		}
		_, span := traceMove(ctx, p, expired)
		defer func() {
			tracing.Failed(span, err != nil)
			span.End()
		}()
		parts = append(parts, db.Part{
			Queries: append(moves, moveMoney(p, to, to.StatusAt)...), Locks: reserved(to, moveReservation(p, to)),
		})
	}
	return db.WriteTogether(ctx, s.pool, []db.Query{db.WaitBriefly()}, parts...)
}

// paymentsFree finds which of a merchant's payments are not locked.
func paymentsFree(free *[]int64, merchantID int64, ids []int64) db.Query {
	return db.One(free, (*db.Queries).PaymentsFree, db.PaymentsFreeParams{MerchantID: merchantID, Ids: ids})
}

// expireLocked expires a card payment if it is not locked and still overdue.
func (s *Service) expireLocked(ctx context.Context, p db.Payment, now time.Time, expired change) (bool, error) {
	var overdue *db.Payment
	err := db.InTx(ctx, s.pool, func(tx pgx.Tx, _ *db.Queries) error {
		err := db.Pipeline(ctx, tx, db.WaitBriefly(), db.OneOrNone(&overdue, (*db.Queries).PaymentLockExpired,
			db.PaymentLockExpiredParams{MerchantID: p.MerchantID, ID: p.ID, Now: now}))
		if err != nil || overdue == nil {
			return err
		}
		_, err = s.move(ctx, tx, *overdue, expired)
		return err
	})
	return overdue != nil, err
}

// ExpireAll expires payments until none is overdue. It waits for those that
// another process is expiring, but does not repeat those whose expiry has just
// returned an error.
func (s *Service) ExpireAll(ctx context.Context) error {
	return s.expiring.RunAll(ctx, func(putOff []int64) (bool, error) {
		return s.q.PaymentsExpiredLeft(ctx, db.PaymentsExpiredLeftParams{Now: s.clock.Now(), PutOff: putOff})
	}, s.Expire)
}

// Settle settles completed payments that waited for a fresh rate, the oldest
// first, and reports how many.
func (s *Service) Settle(ctx context.Context) (int, error) {
	list := func(putOff []int64, page int32) ([]db.SettlementDueListRow, error) {
		return s.q.SettlementDueList(ctx, db.SettlementDueListParams{Now: s.clock.Now(), PutOff: putOff, Page: page})
	}
	settle := func(ctx context.Context, row db.SettlementDueListRow) (settled bool, err error) {
		err = db.InTx(ctx, s.pool, func(tx pgx.Tx, _ *db.Queries) error {
			var p db.Payment
			err := db.Pipeline(ctx, tx, db.WaitBriefly(), db.One(&p, (*db.Queries).PaymentLock,
				db.PaymentLockParams{MerchantID: row.MerchantID, ID: row.PaymentID}))
			if err != nil {
				return fmt.Errorf("lock payment: %w", err)
			}
			settled, err = s.settle(ctx, tx, p)
			return err
		})
		return settled, err
	}
	return db.SweepDue(ctx, s.settling, s.pool, sweepBatch, db.Rows[db.SettlementDueListRow]{
		List: list,
		Key:  func(row db.SettlementDueListRow) (int64, int64) { return row.MerchantID, row.PaymentID },
		Free: paymentsFree,
		Do:   settle,
	})
}

// settle settles one payment at the present rate, if it still waits and there
// is a rate.
//
//rule:when a payment is settled that was completed without a rate
func (s *Service) settle(ctx context.Context, tx pgx.Tx, from db.Payment) (bool, error) {
	q, now := db.New(tx), s.clock.Now()
	deleted, err := q.SettlementDueDelete(ctx, db.SettlementDueDeleteParams{MerchantID: from.MerchantID, PaymentID: from.ID})
	if err != nil || deleted == 0 {
		return false, err
	}
	base, err := rate.Current(ctx, q, from.Currency, now)
	if err == nil && !base.Fresh {
		err = errRateGone
	}
	if err != nil {
		return false, err
	}
	worth := from
	worth.BaseRate = base.FiatPerUSDT
	worth = priced(worth, !from.DifferenceUSDT.IsZero())
	to, err := q.PaymentSettle(ctx, db.PaymentSettleParams{
		MerchantID: from.MerchantID, ID: from.ID, BaseRate: base.FiatPerUSDT, RateSource: base.Source,
		RateObservedAt: &base.ObservedAt,
		AmountUSDT:     worth.AmountUSDT, ProfitUSDT: worth.ProfitUSDT, DifferenceUSDT: worth.DifferenceUSDT,
		SpreadTraderUSDT: worth.SpreadTraderUSDT, SpreadPlatformUSDT: worth.SpreadPlatformUSDT,
	})
	if err != nil {
		return false, fmt.Errorf("store settlement: %w", err)
	}
	return true, db.Pipeline(ctx, tx, moveMoney(from, to, now)...)
}

// errRateGone rolls a settlement back if the rate has become stale meanwhile.
// The payment stays due.
var errRateGone = errors.New("the rate is stale again")

// PruneSlots deletes reservations of requisites that have ended.
func (s *Service) PruneSlots(ctx context.Context) error {
	_, err := s.q.SlotPrune(ctx, s.clock.Now())
	return err
}

// PurgeFiles removes the files of appeals that were decided longer than keep
// ago, and the receipts of payments that ended longer ago. Names, types and
// sizes stay.
func (s *Service) PurgeFiles(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	err := db.Purge(ctx, s.pool, "appeal_file", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.AppealFilePurge(ctx, db.AppealFilePurgeParams{Before: before, Now: &now, Most: most})
		return db.Purged{Count: gone.Count, Bytes: gone.Bytes, First: gone.First, Last: gone.Last}, err
	})
	if err != nil {
		return err
	}
	return db.Purge(ctx, s.pool, "receipt", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.ReceiptPurge(ctx, db.ReceiptPurgeParams{Before: before, Now: &now, Most: most})
		return db.Purged{Count: gone.Count, Bytes: gone.Bytes, First: gone.First, Last: gone.Last}, err
	})
}
