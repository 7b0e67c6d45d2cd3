package audit_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// The accounts of a small world: one trader, one cashbox, the platform and the world outside.
var (
	outside  = ledger.Available(ledger.External, 0)
	platform = ledger.Available(ledger.Platform, 0)
	shop     = ledger.Available(ledger.Cashbox, 1)
	trader   = ledger.Available(ledger.Trader, 1)
	held     = ledger.Reserved(ledger.Trader, 1)
)

// bundle is a ledger in which the trader has 100 USDT.
type bundle struct{ *dbtest.DB }

// setup has the test run beside others.
func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	for _, a := range []ledger.Account{shop, trader} {
		check(t, ledger.Open(t.Context(), d.Queries(), a.Owner, a.OwnerID))
	}
	d.Fund(t, trader, "100")
	return bundle{d}
}

// move is a transfer of an amount from one account to another.
func move(from, to ledger.Account, amount string) ledger.Transfer {
	return ledger.Transfer{Debit: from, Credit: to, Amount: decimal.RequireFromString(amount)}
}

func causeOf(subject string, id int64) ledger.Cause {
	return ledger.Cause{Kind: "test", Subject: subject, SubjectID: id, At: dbtest.Start}
}

var cause = causeOf("test", 1)

func (b bundle) post(transfers ...ledger.Transfer) error { return b.postAbout(cause, transfers...) }

func (b bundle) postAbout(c ledger.Cause, transfers ...ledger.Transfer) error {
	return db.InTx(context.Background(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return ledger.Post(context.Background(), q, c, transfers...)
	})
}

// force books transfers whether or not they are covered.
func (b bundle) force(c ledger.Cause, transfers ...ledger.Transfer) error {
	p := ledger.Plan(c, true, transfers...)
	return db.InTx(context.Background(), b.Pool, func(tx pgx.Tx, _ *db.Queries) error {
		return db.Pipeline(context.Background(), tx, append(p.Debits, p.Record...)...)
	})
}

var check = testenv.NoError
