package ledger

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

// foldOver is how many pending rows an account may gather before the worker folds them: a read adds them up each time.
const foldOver = 1_000

// Fold moves the pending rows of busy accounts into their balances, one account a transaction.
func Fold(ctx context.Context, b db.Beginner, q *db.Queries) error {
	ids, err := q.AccountsToFold(ctx, foldOver)
	if err != nil {
		return fmt.Errorf("find accounts to fold: %w", err)
	}
	for _, id := range ids {
		err := db.InTx(ctx, b, func(_ pgx.Tx, q *db.Queries) error {
			if err := q.AccountLock(ctx, id); err != nil {
				return err
			}
			_, err := q.AccountDebit(ctx, db.AccountDebitParams{ID: id, Debit: decimal.Zero})
			return err
		})
		if err != nil {
			return fmt.Errorf("fold account %d: %w", id, err)
		}
	}
	return nil
}
