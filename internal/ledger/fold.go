package ledger

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// foldOver is how many pending rows an account may have before the worker folds
// them. Every read of a balance adds them up.
const foldOver = 1_000

const foldPage = 500

// Fold adds the pending rows of busy accounts to their balances, several
// accounts at a time. An account that fails or is locked is reported and left
// for the next round, so that the others do not wait for it.
func Fold(ctx context.Context, pool db.Pool, q *db.Queries) error {
	busy := func(failed []int64, page int32) ([]db.AccountsToFoldRow, error) {
		return q.AccountsToFold(ctx, db.AccountsToFoldParams{Over: foldOver, Without: failed, Page: page})
	}
	foldOne := func(ctx context.Context, a db.AccountsToFoldRow) (bool, error) {
		queries := []db.Query{db.WaitBriefly()}
		if a.Late {
			queries = append(queries, db.Do((*db.Queries).AccountFoldFromStart, a.AccountID))
		}
		if err := db.Write(ctx, pool, append(queries, fold(a.AccountID)...)...); err != nil {
			return false, fmt.Errorf("fold account %d: %w", a.AccountID, err)
		}
		return true, nil
	}
	_, err := db.SweepDue(ctx, new(db.Sweep), pool, foldPage, db.Rows[db.AccountsToFoldRow]{
		List: busy,
		Key:  func(a db.AccountsToFoldRow) (int64, int64) { return 0, a.AccountID },
		Do:   foldOne,
	})
	return err
}

// FoldNow adds an account's pending credits to its balance, so that they can
// cover a debit.
func FoldNow(ctx context.Context, pool db.Pool, a Account) error {
	if err := db.Write(ctx, pool, fold(a.ID())...); err != nil {
		return fmt.Errorf("fold account %d: %w", a.ID(), err)
	}
	return nil
}

// fold is a debit of zero.
func fold(account int64) []db.Query { return lockAndDebit(new(bool), account, decimal.Zero, false) }
