package audit_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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
		check(t, b.postAbout(causeOf("payment", payment), transfers...))
	}
	for id := range int64(4) {
		book(id+1, move(trader, held, "9.8"))
	}
	book(2, move(held, trader, "9.8"), move(trader, shop, "9.5"), move(trader, platform, "0.3"))
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
	auditable(t).wantFound(t, breakagesOf(t, "payments.txt"))
}

// wantFound breaks one thing after the other, wants the audit to find it and nothing else, and puts it right again.
func (b bundle) wantFound(t *testing.T, breakages map[string]breakage) {
	t.Helper()
	ctx := context.Background()
	keep, restore := "create schema kept;", ""
	for _, table := range breakable {
		keep += fmt.Sprintf("create table kept.%[1]s as table %[1]s;", table)
		restore += fmt.Sprintf("delete from %[1]s; insert into %[1]s overriding system value table kept.%[1]s;", table)
	}
	b.smash(t, keep)
	for name, c := range breakages {
		t.Run(name, func(t *testing.T) {
			b.Audit(t)
			b.smash(t, c.sql)
			wantRules(t, c.rule)(audit.Everything(ctx, b.Pool))
			recent := ""
			if c.recent {
				recent = c.rule
			}
			wantRules(t, recent)(audit.Since(ctx, b.Pool, dbtest.Start))
			// Nothing was booked any later.
			wantRules(t, "")(audit.Since(ctx, b.Pool, dbtest.Start.Add(time.Second)))
			b.smash(t, restore)
		})
	}
}

// breakable are the tables that breakages change.
var breakable = []string{
	"account", "account_balance", "account_pending", "cashbox", "deposit", "deposit_history", "payin", "payin_history",
	"payment", "payment_history", "settlement_due", "trader_funding", "transfer", "webhook_event",
}

func TestAuditOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.Audit(t)
	wantRules(t, "")(audit.Since(context.Background(), d.Pool, dbtest.Start))
}

// Each question of the audit has one snapshot, so a transfer that commits while it runs is seen as
// a whole or not at all.
func TestAuditBesideALiveLedger(t *testing.T) {
	b := setup(t)
	var runs sync.WaitGroup
	for i := range 60 {
		runs.Go(func() {
			if i%4 == 0 {
				wantRules(t, "")(audit.Everything(context.Background(), b.Pool))
			} else if err := b.post(move(trader, shop, "0.5")); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
}

// A transaction may commit a transfer whose id is lower than others that are there already. The
// audit waits for it before it counts those before them as all there are.
func TestAuditWaitsForWhoWrites(t *testing.T) {
	b := setup(t)
	beside := testenv.Must(db.Open(t.Context(), b.URL, 1, db.ForCommands))(t)
	t.Cleanup(beside.Close)
	tx := testenv.Must(beside.Begin(t.Context()))(t)
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	check(t, ledger.Post(t.Context(), db.New(tx), cause, move(trader, shop, "1")))
	check(t, b.post(move(outside, platform, "2")))
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
	check(t, tx.Commit(t.Context()))
	<-done
}

// smash runs SQL with triggers and the ledger's constraints out of the way, on a connection of its own.
func (b bundle) smash(t *testing.T, sql string) {
	t.Helper()
	ctx := context.Background()
	conn := testenv.Must(pgx.Connect(ctx, b.URL))(t)
	defer func() { _ = conn.Close(ctx) }()
	_, err := conn.Exec(ctx, `set session_replication_role = replica; set client_min_messages = warning;
		alter table account_balance drop constraint if exists account_covered;
		alter table transfer drop constraint if exists transfer_amount, drop constraint if exists transfer_accounts; `+sql)
	check(t, err)
}

// wantRules wants violations of the one rule, and of no other; of none if it is empty.
func wantRules(t *testing.T, rule string) func([]audit.Violation, error) {
	t.Helper()
	return func(found []audit.Violation, err error) {
		t.Helper()
		check(t, err)
		var broken, want []string
		for _, v := range found {
			if v.Detail == "" {
				t.Errorf("%s: no detail", v.Rule)
			}
			broken = append(broken, v.Rule)
		}
		if rule != "" {
			want = []string{rule}
		}
		slices.Sort(broken)
		if broken = slices.Compact(broken); !slices.Equal(broken, want) {
			t.Errorf("the audit reports %v, want %v", found, want)
		}
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
		check(t, b.postAbout(causeOf(subject, id), transfers...))
	}
	for id := range int64(8) {
		book("payin", id+1, move(shop, reserved, "10.2"))
	}
	for _, id := range []int64{3, 7} {
		book("payin", id, move(reserved, trader, "10.15"), move(reserved, platform, "0.05"))
	}
	check(t, b.force(causeOf("payin", 7), move(trader, shop, "10.15"), move(platform, shop, "0.05")))
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
	auditablePayouts(t).wantFound(t, breakagesOf(t, "payouts.txt"))
}
