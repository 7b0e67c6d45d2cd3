package payout

import (
	"context"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

const (
	sweepBatch  = 500
	actorSystem = "system"
)

// Expire ends the payouts that nobody took in time, the oldest first, and
// reports how many. Processes that sweep at the same time skip each other's
// rows.
func (s *Service) Expire(ctx context.Context) (int, error) {
	now := s.clock.Now()
	list := func(putOff []int64, page int32) ([]db.PayoutsExpiredRow, error) {
		return s.q.PayoutsExpired(ctx, db.PayoutsExpiredParams{Now: now, PutOff: putOff, Page: page})
	}
	expire := func(ctx context.Context, row db.PayoutsExpiredRow) (bool, error) {
		var overdue *db.Payout
		err := db.InTx(ctx, s.pool, func(tx pgx.Tx, _ *db.Queries) error {
			err := db.Pipeline(ctx, tx, db.WaitBriefly(), db.OneOrNone(&overdue, (*db.Queries).PayoutLockExpired,
				db.PayoutLockExpiredParams{MerchantID: row.MerchantID, ID: row.ID, Now: now}))
			if err != nil || overdue == nil {
				return err
			}
			_, err = s.end(ctx, tx, *overdue, change{to: Expired, actor: actorSystem})
			return err
		})
		return overdue != nil, err
	}
	return db.SweepDue(ctx, s.expiring, s.pool, sweepBatch, db.Rows[db.PayoutsExpiredRow]{
		List: list,
		Key:  func(row db.PayoutsExpiredRow) (int64, int64) { return row.MerchantID, row.ID },
		Free: payoutsFree,
		Do:   expire,
	})
}

// payoutsFree finds which of a merchant's payouts are not locked.
func payoutsFree(free *[]int64, merchantID int64, ids []int64) db.Query {
	return db.One(free, (*db.Queries).PayoutsFree, db.PayoutsFreeParams{MerchantID: merchantID, Ids: ids})
}

// ExpireAll expires payouts until none is overdue. It waits for those that
// another process is expiring, but does not repeat those whose expiry has just
// returned an error.
func (s *Service) ExpireAll(ctx context.Context) error {
	return s.expiring.RunAll(ctx, func(putOff []int64) (bool, error) {
		return s.q.PayoutsExpiredLeft(ctx, db.PayoutsExpiredLeftParams{Now: s.clock.Now(), PutOff: putOff})
	}, s.Expire)
}
