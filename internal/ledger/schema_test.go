package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// wantRefused runs raw SQL, as a bug or a hand at the console would, and wants the named refusal.
func wantRefused(t *testing.T, b bundle, code, constraint, sql string, args ...any) {
	t.Helper()
	var refused *pgconn.PgError
	_, err := b.Pool.Exec(context.Background(), sql, args...)
	if !errors.As(err, &refused) || refused.Code != code || refused.ConstraintName != constraint {
		t.Errorf("%s: %v", sql, err)
	}
}

func TestTransfersMoveAnAmountBetweenTwoAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	const insert = "insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at) values (%s, 'x', 'x', 1, now())"
	for values, constraint := range map[string]string{
		"14, 12, 0":     "transfer_amount",
		"14, 12, -1":    "transfer_amount",
		"14, 12, 'NaN'": "transfer_amount",
		// What the books keep of it is nothing.
		"14, 12, 0.000000004": "transfer_amount",
		"14, 14, 1":           "transfer_accounts",
	} {
		wantRefused(t, b, "23514", constraint, fmt.Sprintf(insert, values))
	}
	b.Audit(t)
}

func TestBooksAreAppendOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	for _, sql := range []string{
		"update transfer set amount = amount * 2", "delete from transfer", "truncate transfer",
		"update payment_history set actor = 'nobody'", "delete from payment_history", "truncate payment_history",
		// Also where nothing matches: the statement itself is refused.
		"delete from transfer where subject_id = -1",
	} {
		wantRefused(t, b, "23001", "", sql)
	}
	b.Audit(t)
}

// Only Force may leave a balance below zero, and it says so: any other way there is refused.
func TestBalanceMustBeCovered(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	wantRefused(
		t,
		b,
		"23514",
		"account_covered",
		"update account_balance set balance = -1 where account_id = $1",
		trader.ID(),
	)
	exec(t, b.Pool, "update account_balance set balance = balance - 1 where account_id = $1", outside.ID())
}
