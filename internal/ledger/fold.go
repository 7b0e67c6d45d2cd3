package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

// foldOver is how many pending rows an account may gather before the worker folds them: a read adds them up each time.
const foldOver = 1_000

// Fold moves the pending rows of busy accounts into their balances, one account a transaction. An account that fails, or that
// somebody else keeps locked, is reported and left for the next round; the others do not wait for it.
func Fold(ctx context.Context, b db.Beginner, q *db.Queries) error {
	ids, err := q.AccountsToFold(ctx, foldOver)
	if err != nil {
		return fmt.Errorf("find accounts to fold: %w", err)
	}
	var failed []error
	for _, id := range ids {
		err := db.InTx(ctx, b, func(tx pgx.Tx, q *db.Queries) error {
			if err := db.WaitBriefly(ctx, tx); err != nil {
				return err
			}
			if err := q.AccountLock(ctx, id); err != nil {
				return err
			}
			_, err := q.AccountDebit(ctx, db.AccountDebitParams{ID: id, Debit: decimal.Zero})
			return err
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("fold account %d: %w", id, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}
