package reseal

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/requisite"
)

// Hash gives requisites in the clear, and their slots, the hashes by which their values are told apart. Processes of the version
// before have written them without.
func Hash(ctx context.Context, pool *pgxpool.Pool, safe *requisite.Safe) error {
	q := db.New(pool)
	for {
		rows, err := q.RequisitesInClear(ctx, db.RequisitesInClearParams{Unhashed: true, Page: batch})
		if err != nil {
			return fmt.Errorf("list requisites without a hash: %w", err)
		}
		if len(rows) == 0 {
			break
		}
		var params db.RequisitesHashParams
		for _, row := range rows {
			params.Ids, params.Clear = append(params.Ids, row.ID), append(params.Clear, row.Value)
			params.Hashes = append(params.Hashes, safe.Hash(row.Currency, row.Value))
		}
		if _, err := q.RequisitesHash(ctx, params); err != nil {
			return fmt.Errorf("keep the hashes of requisites: %w", err)
		}
	}
	if _, err := q.SlotsHash(ctx); err != nil && !db.IsUniqueViolation(err) && !db.IsLockTimeout(err) {
		return fmt.Errorf("keep the hashes of slots: %w", err)
	}
	return nil
}

// Clear seals the requisites, and then those of payments, that stand in the clear from before the version that seals them, once
// no process of the version before is about, which could not open them. It may be stopped at any time and run twice at once, and
// is run again and again: a payment is made with what a process has in memory, so a few more may come in the clear.
func Clear(ctx context.Context, pool *pgxpool.Pool, safe *requisite.Safe) error {
	if err := Hash(ctx, pool, safe); err != nil {
		return err
	}
	q := db.New(pool)
	older, err := q.OlderProcesses(ctx)
	if err != nil {
		return fmt.Errorf("look for processes of the version before: %w", err)
	}
	if older {
		return nil
	}
	if err := clearRequisites(ctx, q, safe); err != nil {
		return fmt.Errorf("seal requisites: %w", err)
	}
	if err := clearPayments(ctx, pool, safe); err != nil {
		return fmt.Errorf("seal the requisites of payments: %w", err)
	}
	return nil
}

func clearRequisites(ctx context.Context, q *db.Queries, safe *requisite.Safe) error {
	for {
		rows, err := q.RequisitesInClear(ctx, db.RequisitesInClearParams{Page: batch})
		if err != nil || len(rows) == 0 {
			return err
		}
		var params db.RequisitesSealParams
		for _, row := range rows {
			sealed, err := safe.Seal(row.ID, row.Currency, row.Value)
			if err != nil {
				return err
			}
			params.Ids, params.Clear = append(params.Ids, row.ID), append(params.Clear, row.Value)
			params.Sealed, params.Hashes = append(params.Sealed, sealed.Value), append(params.Hashes, sealed.Hash)
			params.Last4 = append(params.Last4, sealed.Last4)
		}
		if _, err := q.RequisitesSeal(ctx, params); err != nil {
			return err
		}
	}
}

// clearPayments goes through the payments merchant by merchant, since a merchant's are together on one node. Those that somebody
// is just changing are left for the next time.
func clearPayments(ctx context.Context, pool *pgxpool.Pool, safe *requisite.Safe) error {
	for {
		rows, err := db.New(pool).PaymentsInClear(ctx, batch)
		if err != nil {
			return err
		}
		var all int64
		for len(rows) > 0 {
			n := 0
			for n < len(rows) && rows[n].MerchantID == rows[0].MerchantID {
				n++
			}
			err := db.InTx(ctx, pool, func(_ pgx.Tx, q *db.Queries) error {
				sealed, err := sealPayments(ctx, q, safe, rows[:n])
				all += sealed
				return err
			})
			if err != nil {
				return err
			}
			rows = rows[n:]
		}
		if all == 0 {
			return nil
		}
	}
}

func sealPayments(
	ctx context.Context, q *db.Queries, safe *requisite.Safe, rows []db.PaymentsInClearRow,
) (all int64, err error) {
	for _, row := range rows {
		sealed, err := safe.Seal(row.RequisiteID, "", row.Value)
		if err != nil {
			return all, err
		}
		n, err := q.PaymentSeal(ctx, db.PaymentSealParams{
			MerchantID: row.MerchantID, ID: row.ID, Value: row.Value, Sealed: sealed.Value, Last4: &sealed.Last4,
		})
		if err != nil {
			return all, err
		}
		all += n
	}
	return all, nil
}
