package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// The accounts of a small world: one trader, one cashbox, the platform and the
// world outside.
var (
	outside  = ledger.Available(ledger.External, 0)
	platform = ledger.Available(ledger.Platform, 0)
	shop     = ledger.Available(ledger.Cashbox, 1)
	trader   = ledger.Available(ledger.Trader, 1)
	held     = ledger.Reserved(ledger.Trader, 1)
	// What the platform reserves stands for nothing in particular, so that
	// the audit has no opinion of it.
	frozen = ledger.Reserved(ledger.Platform, 0)
)

// bundle is a ledger in which the trader has USDT.
type bundle struct{ *dbtest.DB }

// setup has the test run beside others.
func setup(t *testing.T, usdt string) bundle {
	t.Helper()
	t.Parallel()
	return funded(t, dbtest.New(t), usdt)
}

func funded(t *testing.T, d *dbtest.DB, usdt string) bundle {
	t.Helper()
	for _, a := range []ledger.Account{shop, trader} {
		testenv.NoError(t, ledger.Open(t.Context(), d.Queries(), a.Owner, a.OwnerID))
	}
	d.Fund(t, trader, usdt)
	return bundle{d}
}

var move = dbtest.Move

var cause = ledger.Cause{Kind: "test", Subject: "sandbox", SubjectID: 1, At: dbtest.Start}

func (b bundle) post(transfers ...ledger.Transfer) error { return b.Post(cause, transfers...) }

func (b bundle) wantBalance(t *testing.T, a ledger.Account, want string) {
	t.Helper()
	got := b.Balance(t, a)
	testenv.Check(t, got.Equal(dec(want)), "%s %d has %s, want %s", a.Owner, a.OwnerID, got, want)
}

func (b bundle) wantOverdrawn(t *testing.T, a ledger.Account, want bool) {
	t.Helper()
	var overdrawn bool
	b.Get(t, &overdrawn, "select overdrawn from account_balance where account_id = $1", a.ID())
	testenv.Want(t, overdrawn, want, "%s %d is overdrawn", a.Owner, a.OwnerID)
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

func TestPost(t *testing.T) {
	b := setup(t, "10")
	testenv.NoError(t, b.post(move(trader, shop, "9"), move(trader, platform, "0.5")))
	b.wantBalance(t, trader, "0.5")
	b.wantBalance(t, shop, "9")
	b.wantBalance(t, platform, "0.5")
	// To the last unit, and not one further.
	testenv.NoError(t, b.post(move(trader, shop, "0.5")))
	b.wantBalance(t, trader, "0")
	testenv.WantError(t, b.post(move(trader, shop, "0.00000001")), ledger.ErrInsufficient, "one unit further")
	b.Audit(t)
}

// rows are the transfers about a subject, in their order.
func (b bundle) rows(t *testing.T, c ledger.Cause) string {
	t.Helper()
	return b.Text(t, `select coalesce(string_agg(debit_account || '>' || credit_account || ' ' || amount, ', ' order by id), '')
		from transfer where subject = $1 and subject_id = $2`, c.Subject, c.SubjectID)
}

func row(from, to ledger.Account, amount string) string {
	return fmt.Sprintf("%d>%d %s", from.ID(), to.ID(), dec(amount).StringFixed(8))
}

func TestOneRowBetweenTwoAccounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		transfers []ledger.Transfer
		want      []string
	}{
		"one way twice":            {[]ledger.Transfer{move(trader, shop, "1"), move(trader, shop, "0.5")}, []string{row(trader, shop, "1.5")}},
		"more there than back":     {[]ledger.Transfer{move(trader, shop, "3"), move(shop, trader, "1")}, []string{row(trader, shop, "2")}},
		"more back than there":     {[]ledger.Transfer{move(shop, trader, "1"), move(trader, shop, "3")}, []string{row(trader, shop, "2")}},
		"less than nothing":        {[]ledger.Transfer{move(shop, trader, "-1")}, []string{row(trader, shop, "1")}},
		"nothing":                  {[]ledger.Transfer{move(trader, shop, "0")}, nil},
		"there and back":           {[]ledger.Transfer{move(trader, shop, "5"), move(shop, trader, "5")}, nil},
		"a shift to where it was":  {ledger.Position{move(trader, held, "5")}.To(ledger.Position{move(trader, held, "5")}), nil},
		"a shift to more than was": {ledger.Position{move(trader, held, "5")}.To(ledger.Position{move(trader, held, "6")}), []string{row(trader, held, "1")}},
		"between three": {
			[]ledger.Transfer{move(trader, shop, "2"), move(trader, platform, "1"), move(platform, shop, "0.25")},
			[]string{row(trader, shop, "2"), row(trader, platform, "1"), row(platform, shop, "0.25")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, "10")
			testenv.NoError(t, b.post(c.transfers...))
			testenv.Want(t, b.rows(t, cause), strings.Join(c.want, ", "), "booked")
		})
	}
}

// A hold undone and settled at once: what an account is debited and credited
// comes together before anything is checked or locked, so that a settlement
// waits for nobody.
func TestSettlementOfAHoldLocksNothing(t *testing.T) {
	b := setup(t, "10")
	hold := []ledger.Transfer{move(trader, held, "10")}
	testenv.NoError(t, b.post(hold...))
	settlement := ledger.Position(hold).To(ledger.Position{move(trader, shop, "9"), move(trader, platform, "1")})
	p := ledger.Plan(cause, false, settlement...)
	testenv.Check(t, len(p.Debits) == 0 && p.Covered(), "%d queries to debit, covered: %t", len(p.Debits), p.Covered())
	testenv.NoError(t, b.post(settlement...))
	b.wantBalance(t, trader, "0")
	b.wantBalance(t, held, "0")
	b.wantBalance(t, shop, "9")
	b.wantBalance(t, platform, "1")
}

// A refusal books nothing, even in a transaction that goes on and commits.
func TestInsufficientBooksNothing(t *testing.T) {
	b := setup(t, "10")
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		err := ledger.Post(t.Context(), q, cause, move(trader, shop, "10.00000001"))
		testenv.WantError(t, err, ledger.ErrInsufficient, "more than is there")
		return ledger.Post(t.Context(), q, cause, move(trader, frozen, "10"))
	}))
	b.wantBalance(t, trader, "0")
	b.wantBalance(t, frozen, "10")
	b.wantBalance(t, shop, "0")
	testenv.Want(t, b.rows(t, cause), row(trader, frozen, "10"), "booked")
	b.Audit(t)
}

// With two checked debits the first may be taken before the second is refused:
// rolled back, nothing stays.
func TestInsufficientRollsBack(t *testing.T) {
	b := setup(t, "10")
	b.Fund(t, shop, "1")
	testenv.WantError(t, b.post(move(trader, platform, "5"), move(shop, platform, "5")), ledger.ErrInsufficient, "two debits")
	b.WantHas(t, map[ledger.Account]string{trader: "10", shop: "1", platform: "0"})
}

// A reversal of money already spent leaves the owner overdrawn; credits repay
// before anything can be spent again.
func TestForceOverdrawsAndCreditsRepay(t *testing.T) {
	b := setup(t, "0")
	b.Fund(t, shop, "3")
	testenv.NoError(t, b.Force(cause, move(shop, trader, "8")))
	b.wantBalance(t, shop, "-5")
	b.wantOverdrawn(t, shop, true)
	b.Audit(t)
	b.Fund(t, shop, "4")
	testenv.WantError(t, b.post(move(shop, trader, "0.00000001")), ledger.ErrInsufficient, "a debit while short")
	b.wantBalance(t, shop, "-1")
	b.wantOverdrawn(t, shop, true)
	b.Fund(t, shop, "1.5")
	testenv.NoError(t, b.post(move(shop, trader, "0.5")))
	b.wantBalance(t, shop, "0")
	b.wantOverdrawn(t, shop, false)
	b.Audit(t)
}

// Force may overdraw, but a debit that is covered leaves no mark.
func TestForceWithCover(t *testing.T) {
	b := setup(t, "10")
	testenv.NoError(t, b.Force(cause, move(trader, shop, "10")))
	b.wantOverdrawn(t, trader, false)
	b.Audit(t)
}

// Money cannot come from or go to an owner who has no account.
func TestUnknownAccount(t *testing.T) {
	b := setup(t, "10")
	stranger := ledger.Available(ledger.Cashbox, 99)
	testenv.Check(t, b.Force(cause, move(stranger, trader, "1")) != nil, "a debit was booked")
	testenv.WantError(t, b.post(move(trader, stranger, "1")), db.ErrMissing, "a credit")
	b.wantBalance(t, trader, "10")
	_, err := ledger.Balance(t.Context(), b.Queries(), stranger)
	testenv.Check(t, db.NoRows(err), "balance: %v", err)
}

func TestOpenAgainChangesNothing(t *testing.T) {
	b := setup(t, "10")
	testenv.NoError(t, ledger.Open(t.Context(), b.Queries(), ledger.Trader, 1))
	b.wantBalance(t, trader, "10")
}

// Every account has an id of its own: two owners must never share a balance.
func TestAccountIDs(t *testing.T) {
	t.Parallel()
	seen := map[int64]ledger.Account{}
	for _, owner := range []ledger.Owner{ledger.External, ledger.Platform, ledger.Cashbox, ledger.Trader} {
		for id := range int64(50) {
			for _, a := range []ledger.Account{ledger.Available(owner, id), ledger.Reserved(owner, id)} {
				if other, taken := seen[a.ID()]; taken {
					t.Fatalf("%+v and %+v share id %d", a, other, a.ID())
				}
				seen[a.ID()] = a
			}
		}
	}
}

// Fold empties an account's pending rows once there are more than a thousand,
// and a balance stays what it was.
func TestFold(t *testing.T) {
	b := setup(t, "0")
	pending := func(a ledger.Account) int {
		return b.Count(t, "select count(*) from account_pending where account_id = $1", a.ID())
	}
	credit(t, b, shop, 1001)
	credit(t, b, platform, 1000)
	testenv.NoError(t, ledger.Fold(t.Context(), b.Pool, b.Queries()))
	testenv.Want(t, pending(shop), 0, "shop: pending")
	// The world outside has given 2001 times and is folded like everyone,
	// though it stands below zero.
	testenv.Want(t, pending(outside), 0, "outside: pending")
	testenv.Want(t, pending(platform), 1000, "platform: pending")
	// 1001 and 1000 credits of 0.01.
	b.WantHas(t, map[ledger.Account]string{shop: "10.01", platform: "10"})
}

// wantRefused runs raw SQL, as a bug or a hand at the console would, and wants
// the named refusal.
func wantRefused(t *testing.T, b bundle, code, constraint, sql string, args ...any) {
	t.Helper()
	var refused *pgconn.PgError
	_, err := b.Pool.Exec(context.Background(), sql, args...)
	testenv.Check(t, errors.As(err, &refused) && refused.Code == code && refused.ConstraintName == constraint, "%s: %v", sql, err)
}

func TestTransfersMoveAnAmountBetweenTwoAccounts(t *testing.T) {
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

// Only Force may leave a balance below zero, and it says so: any other way
// there is refused.
func TestBalanceMustBeCovered(t *testing.T) {
	b := setup(t, "10")
	wantRefused(t, b, "23514", "account_covered", "update account_balance set balance = -1 where account_id = $1", trader.ID())
	b.Exec(t, "update account_balance set balance = balance - 1 where account_id = $1", outside.ID())
}
