package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// Move is a transfer of an amount from one account to another.
func Move(from, to ledger.Account, amount string) ledger.Transfer {
	return ledger.Transfer{Debit: from, Credit: to, Amount: decimal.RequireFromString(amount)}
}

// Post books transfers in their own transaction.
func (d *DB) Post(c ledger.Cause, transfers ...ledger.Transfer) error {
	return db.InTx(context.Background(), d.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return ledger.Post(context.Background(), q, c, transfers...)
	})
}

// Force books transfers without checking that they are covered.
func (d *DB) Force(c ledger.Cause, transfers ...ledger.Transfer) error {
	p := ledger.Plan(c, true, transfers...)
	return db.InTx(context.Background(), d.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		return db.Pipeline(context.Background(), tx, append(p.Debits, p.Record...)...)
	})
}

// Smash changes data that nobody but the owner of the database could change:
// no trigger prevents it.
func (d *DB) Smash(t testing.TB, sql string) {
	t.Helper()
	check(t, db.InTx(t.Context(), d.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		_, err := tx.Exec(t.Context(), "set local session_replication_role = replica; "+sql)
		return err
	}))
}
