package audit_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

func auditable(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, data(t, "payments.sql"))
	book := func(payment int64, transfers ...ledger.Transfer) {
		t.Helper()
		testenv.NoError(t, b.Post(causeOf("payment", payment), transfers...))
	}
	for id := range int64(7) {
		book(id+1, move(trader, held, "9.8"))
	}
	book(2, move(held, trader, "9.8"), move(trader, shop, "8"), move(trader, platform, "1.8"))
	book(4, move(held, trader, "9.8"))
	return b
}

// breakage violates one rule.
type breakage struct {
	rule string
	// recent says that the audit of what was booked lately finds it too.
	recent bool
	sql    string
}

// breakagesOf reads a file of testdata, which says what is in it.
func breakagesOf(t *testing.T, file string) map[string]breakage {
	t.Helper()
	all, rule := map[string]breakage{}, ""
	for line := range strings.Lines(data(t, file)) {
		name, sql, row := strings.Cut(strings.TrimSpace(line), " | ")
		switch {
		case strings.HasPrefix(line, "["):
			rule = strings.Trim(name, "[]")
		case row:
			name, old := strings.CutSuffix(name, " (old)")
			all[name] = breakage{rule, !old, written(sql)}
		}
	}
	return all
}

func data(t *testing.T, file string) string {
	t.Helper()
	return string(testenv.Must(os.ReadFile("testdata/" + file))(t))
}

// written is the SQL of a breakage, whose transfers are written out.
func written(sql string) string {
	const transfer = `insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
		values (%[3]s, %[4]s, %[5]s, 'x', '%[1]s', %[2]s, '2026-11-20 12:00Z')`
	const balances = `; insert into account_pending (account_id, amount) values (%[3]s, -(%[5]s)), (%[4]s, %[5]s)`
	statements := strings.Split(sql, "; ")
	for i, statement := range statements {
		verb, words, _ := strings.Cut(statement, " ")
		var values []any
		for _, word := range strings.Fields(words) {
			values = append(values, word)
		}
		switch verb {
		case "booked":
			statements[i] = fmt.Sprintf(transfer+balances, values...)
		case "transfer":
			statements[i] = fmt.Sprintf(transfer, values...)
		}
	}
	return strings.Join(statements, ";")
}

func TestAuditFindsEachBreakage(t *testing.T) {
	testenv.OneByOne(t)
	auditable(t).wantFound(t, breakagesOf(t, "payments.txt"))
}

// wantFound breaks one thing after the other, wants the audit to find it and
// nothing else, and puts it right again.
func (b bundle) wantFound(t *testing.T, breakages map[string]breakage) {
	t.Helper()
	keep, restore := "create schema kept;", ""
	for _, table := range breakable {
		keep += fmt.Sprintf("create table kept.%[1]s as table %[1]s;", table)
		restore += fmt.Sprintf("delete from %[1]s; insert into %[1]s overriding system value table kept.%[1]s;", table)
	}
	b.smash(t, keep)
	for name, c := range breakages {
		t.Run(name, func(t *testing.T) {
			b.smash(t, c.sql)
			wantRules(t, c.rule)(audit.Everything(t.Context(), b.Pool))
			recent := ""
			if c.recent {
				recent = c.rule
			}
			wantRules(t, recent)(audit.Since(t.Context(), b.Pool, dbtest.Start))
			// Nothing was booked any later.
			wantRules(t, "")(audit.Since(t.Context(), b.Pool, dbtest.Start.Add(time.Second)))
			b.smash(t, restore)
		})
	}
	b.Audit(t)
}

// breakable are the tables that breakages change.
var breakable = []string{
	"account", "account_balance", "account_pending", "appeal", "arrival", "cashbox", "deposit", "deposit_history", "payin", "payin_history",
	"payment", "payment_history", "settlement_due", "test_clock", "trader_funding", "transfer", "webhook_event", "withdrawal",
	"withdrawal_history",
}

// PostgreSQL's own division has 99975.0000973 for this.
func TestAuditDividesExactly(t *testing.T) {
	b := auditable(t)
	b.smash(t, `update payment set amount = 9247687.51, base_rate = 92.50000001, markup_percent = 0, profit_usdt = 0,
		amount_usdt = 99975.00009729, hold_usdt = 99975.00009729, spread_trader_usdt = 0, spread_platform_usdt = 0 where id = 4`)
	b.Audit(t)
}

func TestAuditOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Audit(t)
	wantRules(t, "")(audit.Since(context.Background(), d.Pool, dbtest.Start))
}

// Each question of the audit has one snapshot, so a transfer that commits while
// it runs is seen as a whole or not at all.
func TestAuditBesideALiveLedger(t *testing.T) {
	b := setup(t)
	var runs sync.WaitGroup
	for i := range 60 {
		runs.Go(func() {
			if i%4 == 0 {
				wantRules(t, "")(audit.Everything(context.Background(), b.Pool))
				return
			}
			testenv.WantError(t, b.Post(cause, move(trader, shop, "0.5")), nil, "a transfer")
		})
	}
	runs.Wait()
}

// A transaction may commit a transfer whose id is lower than others that are
// there already. The audit waits for it before it counts those before them as
// all there are.
func TestAuditWaitsForWhoWrites(t *testing.T) {
	b := setup(t)
	tx := b.Beside(t)
	testenv.NoError(t, ledger.Post(t.Context(), db.New(tx), cause, move(trader, shop, "1")))
	testenv.NoError(t, b.Post(cause, move(outside, platform, "2")))
	done := make(chan struct{})
	go func() {
		defer close(done)
		wantRules(t, "")(audit.Everything(context.Background(), b.Pool))
	}()
	select {
	case <-done:
		t.Error("the audit did not wait")
	case <-time.After(500 * time.Millisecond):
	}
	testenv.NoError(t, tx.Commit(t.Context()))
	<-done
}

// smash runs SQL with triggers and the ledger's constraints out of the way.
func (b bundle) smash(t *testing.T, sql string) {
	t.Helper()
	b.Smash(t, `set local client_min_messages = warning;
		alter table account_balance drop constraint if exists account_covered;
		alter table transfer drop constraint if exists transfer_amount, drop constraint if exists transfer_accounts; `+sql)
}

// wantRules wants violations of the one rule, and of no other; of none if it is
// empty.
func wantRules(t *testing.T, rule string) func([]audit.Violation, error) {
	t.Helper()
	return func(found []audit.Violation, err error) {
		t.Helper()
		testenv.NoError(t, err)
		var broken, want []string
		for _, v := range found {
			testenv.Check(t, v.Detail != "", "%s: no detail", v.Rule)
			broken = append(broken, v.Rule)
		}
		if rule != "" {
			want = []string{rule}
		}
		slices.Sort(broken)
		testenv.Check(t, slices.Equal(slices.Compact(broken), want), "the audit reports %v, want %v", found, want)
	}
}

// reserved is what the cashbox has frozen and insured.
var reserved = ledger.Reserved(ledger.Cashbox, 1)

func auditablePayouts(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, data(t, "payouts.sql"))
	b.Fund(t, shop, "100")
	book := func(subject string, id int64, transfers ...ledger.Transfer) {
		t.Helper()
		testenv.NoError(t, b.Post(causeOf(subject, id), transfers...))
	}
	for id := range int64(8) {
		book("payin", id+1, move(shop, reserved, "10.2"))
	}
	for _, id := range []int64{3, 7} {
		book("payin", id, move(reserved, trader, "10.15"), move(reserved, platform, "0.05"))
	}
	testenv.NoError(t, b.Force(causeOf("payin", 7), move(trader, shop, "10.15"), move(platform, shop, "0.05")))
	for id := int64(4); id <= 6; id++ {
		book("payin", id, move(reserved, shop, "10.2"))
	}
	book("deposit", 2, move(outside, shop, "7"))
	book("insurance", 1, move(shop, reserved, "5"))
	book("trader_funding", 1, move(outside, trader, "20"))
	book("trader_funding", 2, move(trader, outside, "3"))
	return b
}

func TestAuditFindsEachPayoutBreakage(t *testing.T) {
	testenv.OneByOne(t)
	auditablePayouts(t).wantFound(t, breakagesOf(t, "payouts.txt"))
}

// One process at a time makes an audit that is due; what it proved is not read
// again, and one that began and never ended is begun anew.
func TestAuditRuns(t *testing.T) {
	b := auditable(t)
	now := dbtest.Start.Add(90 * time.Second)
	b.Exec(t, "update audit_run set proven_at = $1", dbtest.Start.Add(-time.Hour))
	does := func(at time.Time, want bool) []audit.Violation {
		t.Helper()
		found, due, err := audit.Recent.Do(t.Context(), b.Pool, always(at))
		testenv.NoError(t, err)
		testenv.Want(t, due, want, "at %s it was made", at.Format(time.TimeOnly))
		return found
	}
	b.smash(t, breakagesOf(t, "payments.txt")["settled for another amount"].sql)
	testenv.Want(t, len(does(now, true)), 2, "found")
	does(now.Add(time.Minute-time.Second), false)
	testenv.Want(t, b.Count(t, "select violations from audit_run where scope = 'recent'"), 2, "violations are kept")
	// What was booked two minutes before is proven, for good or ill.
	testenv.Want(t, len(does(now.Add(3*time.Minute), true)), 0, "again")
	begun := now.Add(10 * time.Minute)
	b.Exec(t, "update audit_run set began_at = $1, seen_at = $1 where scope = 'recent'", begun)
	does(begun.Add(audit.Recent.Patience-time.Second), false)
	does(begun.Add(audit.Recent.Patience), true)

	found, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now.Add(24*time.Hour)))
	testenv.Check(t, err == nil && due && len(found) == 2, "in full: %v, %t, %v", found, due, err)
	_, due, err = audit.Complete.Do(t.Context(), b.Pool, always(now.Add(47*time.Hour)))
	testenv.Check(t, err == nil && !due, "in full, a second time within the day: %t, %v", due, err)
}

func always(at time.Time) func() time.Time { return func() time.Time { return at } }

// A full audit that was left in the middle is gone on with where it was, by one
// process only, with what it had found. A day later it begins anew.
func TestFullAuditGoesOn(t *testing.T) {
	b := auditable(t)
	// The first breaks a rule for two accounts.
	breakages := breakagesOf(t, "payments.txt")
	short := breakages["short without a mark"]
	b.smash(t, breakages["settled for another amount"].sql+";"+short.sql)
	now := dbtest.Start.Add(48 * time.Hour)
	left := func(began time.Time) {
		b.Exec(t, `update audit_run set began_at = $1, seen_at = $2, proven_at = 'epoch', rule = $3, past = 7, found = 2 where scope = 'full'`,
			began, now.Add(-audit.Complete.Patience), short.rule)
	}
	kept := func() int { return b.Count(t, "select violations from audit_run where scope = 'full'") }
	left(now.Add(-time.Hour))
	_, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now.Add(-time.Second)))
	testenv.Check(t, !due && err == nil, "somebody is still at it: %t, %v", due, err)
	found, due, err := audit.Complete.Do(t.Context(), b.Pool, always(now))
	testenv.Check(t, err == nil && due && len(found) == 1 && found[0].Rule == short.rule && kept() == 3,
		"%v, %t, %v; %d are kept", found, due, err, kept())
	left(now.Add(-24 * time.Hour))
	found, due, err = audit.Complete.Do(t.Context(), b.Pool, always(now))
	testenv.Check(t, err == nil && due && len(found) == 3 && kept() == 3,
		"anew: %v, %t, %v; %d are kept", found, due, err, kept())
	left(now.Add(-time.Hour))
	asked := 0
	_, due, err = audit.Complete.Do(t.Context(), b.Pool, func() time.Time {
		if asked++; asked > 1 {
			b.Exec(t, "update audit_run set seen_at = $1", now.Add(time.Second))
		}
		return now
	})
	testenv.Check(t, due && err != nil, "taken over by another: %t, %v", due, err)
}

// Every rule can be asked on a distributed database, about all and about what
// is new.
func TestRulesDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	for _, wrong := range audit.AskEach(t.Context(), d.Pool) {
		t.Error(wrong)
	}
}

// What is broken on a distributed database is found once it has been asked
// again, and nobody who writes is held up for it.
func TestBrokenDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	d.NewTrader(t, dbtest.TraderOpts{USDT: "100", Requisites: 1})
	found, err := audit.Everything(t.Context(), d.Pool)
	testenv.Need(t, err == nil && len(found) == 0, "%v, %v", found, err)
	d.Exec(t, "update account_balance set balance = balance + 1 where account_id % 8 = 6")
	writer := testenv.Must(d.Pool.Begin(t.Context()))(t)
	defer func() { testenv.NoError(t, writer.Rollback(t.Context())) }()
	testenv.Must(writer.Exec(t.Context(), "lock table payment in row exclusive mode"))(t)
	found, err = audit.Everything(t.Context(), d.Pool)
	testenv.Check(t, err == nil && len(found) == 1 &&
		found[0].Rule == "an account's balance is what was moved to it less what was moved from it", "%v, %v", found, err)
}

// What cannot be proven while writers are held up for a moment is undecided,
// and they go on.
func TestUndecidedDistributed(t *testing.T) {
	t.Parallel()
	dbtest.NeedsCitus(t)
	d := dbtest.New(t)
	proofs := 0
	found, err := audit.ProveAgain(t.Context(), d.Pool, []string{"0"}, func(ctx context.Context, _ db.Pool) ([]string, error) {
		if proofs++; proofs > 2 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []string{strconv.Itoa(proofs)}, nil
	})
	testenv.Check(t, err != nil && proofs == 3, "%v, %v after %d proofs", found, err, proofs)
	d.Exec(t, "update account_balance set balance = balance")
}

func TestMain(m *testing.M) { dbtest.Main(m) }

// The accounts of a small world: one trader, one cashbox, the platform and the
// world outside.
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
		testenv.NoError(t, ledger.Open(t.Context(), d.Queries(), a.Owner, a.OwnerID))
	}
	d.Fund(t, trader, "100")
	return bundle{d}
}

var move = dbtest.Move

func causeOf(subject string, id int64) ledger.Cause {
	return ledger.Cause{Kind: "test", Subject: subject, SubjectID: id, At: dbtest.Start}
}

var cause = causeOf("sandbox", 1)

// auditableWithdrawals has withdrawals of a cashbox, each of 10 for a fee of 1.
func auditableWithdrawals(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, data(t, "withdrawals.sql"))
	b.Fund(t, shop, "100")
	for id := range int64(4) {
		testenv.NoError(t, b.Post(causeOf("withdrawal", id+1), move(shop, reserved, "11")))
	}
	testenv.NoError(t, b.Post(causeOf("withdrawal", 3), move(reserved, outside, "10"), move(reserved, platform, "1")))
	testenv.NoError(t, b.Post(causeOf("withdrawal", 4), move(reserved, shop, "11")))
	return b
}

func TestAuditFindsEachWithdrawalBreakage(t *testing.T) {
	auditableWithdrawals(t).wantFound(t, breakagesOf(t, "withdrawals.txt"))
}
