package ledger_test

import (
	"context"
	"errors"
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

func TestEntriesMustBalance(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	for name, values := range map[string]string{
		"not to zero":                      "(1, 7, 'USDT', 5), (2, 7, 'USDT', -4)",
		"one leg":                          "(1, 7, 'USDT', 5)",
		"zero only across currencies":      "(1, 7, 'USDT', 5), (2, 7, 'RUB', -5)",
		"zero only across transfers":       "(1, 7, 'USDT', 5), (2, 8, 'USDT', -5)",
		"one of two transfers is unsound":  "(1, 7, 'USDT', 5), (2, 7, 'USDT', -5), (1, 8, 'USDT', 0.00000001)",
		"the least unit missing from many": "(1, 7, 'USDT', 1), (2, 7, 'USDT', -0.5), (3, 7, 'USDT', -0.49999999)",
	} {
		t.Log(name)
		wantRefused(t, b, "23514", "entry_balanced", "insert into entry (account_id, transfer_id, currency, amount) values "+values)
	}
	wantRefused(t, b, "23514", "entry_amount_check", "insert into entry (account_id, transfer_id, amount) values (1, 7, 0)")
	wantRefused(t, b, "23514", "entry_amount_check", "insert into entry (account_id, transfer_id, amount) values (1, 7, 'NaN')")
	b.Audit(t)
}

func TestBooksAreAppendOnly(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	for _, sql := range []string{
		"update entry set amount = amount * 2", "delete from entry", "truncate entry",
		"update transfer set kind = 'other'", "delete from transfer", "truncate transfer",
		"update payment_history set actor = 'nobody'", "delete from payment_history", "truncate payment_history",
		// Also where nothing matches: the statement itself is refused.
		"delete from entry where account_id = -1",
	} {
		wantRefused(t, b, "23001", "", sql)
	}
	b.Audit(t)
}

// Only Force may leave a balance below zero, and it says so: any other way there is refused.
func TestBalanceMustBeCovered(t *testing.T) {
	t.Parallel()
	b := setup(t, "10")
	wantRefused(t, b, "23514", "account_covered", "update account set balance = -1 where id = $1", trader.ID())
	exec(t, b.Pool, "update account set balance = balance - 1 where id = $1", outside.ID())
}
