package audit_test

import (
	"context"
	"fmt"
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
)

// The audit's rules, by the names operators see.
const (
	ruleTransfer = "a transfer moves an amount between two accounts"
	rulePosition = "a payment's money stands where its status says"
	ruleDue      = "a payment is due for settlement exactly while completed without a rate"
	ruleEvents   = "a payment's events and history run without gaps"
	ruleBalance  = "an account's balance is what was moved to it less what was moved from it"
	ruleOne      = "every account has one balance"
	ruleShort    = "no account is short unless marked overdrawn"
	ruleReserved = "a trader's reserved money is the sum of his open holds"
)

// payments are four in every position, written by hand: 1 pending, 2 completed, 3 completed and
// waiting for a rate, 4 failed. Each is worth 10 at spot: 9.5 to the merchant, 0.2 to the trader,
// 0.3 to the platform, and so 9.8 to hold.
const payments = `
	insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
		status_at, expires_at, created_at, event_sequence, trader_id, base_rate, rate_source, rate_unavailable, markup_percent,
		trader_share_percent, hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt)
	select 1, id, gen_random_uuid(), 1, 'order', 'sbp', 'RUB', 1000, 'https://shop.example/', status, at, at, at, sequence,
		1, 100, 'test', without_rate, 5.2632, 2, 9.8, 9.5, 0.5, 0.2, 0.3
	from (values (1, 'pending', 0, false), (2, 'completed', 1, false), (3, 'completed', 1, true), (4, 'failed', 1, false))
		as p (id, status, sequence, without_rate), (values ('2026-11-20 12:00Z'::timestamptz)) as now (at);
	insert into payment_history (merchant_id, payment_id, at, actor, to_status)
	select 1, id, created_at, 'key:1', 'pending' from payment order by id;
	insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
	select 1, id, created_at, 'application', 'pending', status from payment where id > 1 order by id;
	insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
	select 1, gen_random_uuid(), 1, 'payment.status.updated', 'payment', id, 1, callback_uri, '{}', created_at
	from payment where id > 1;
	insert into settlement_due (merchant_id, payment_id, currency, since) values (1, 3, 'RUB', '2026-11-20 12:00Z')`

func auditable(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, payments)
	book := func(payment int64, transfers ...ledger.Transfer) {
		t.Helper()
		check(
			t,
			b.postAbout(
				ledger.Cause{Kind: "test", Subject: "payment", SubjectID: payment, At: dbtest.Start},
				transfers...),
		)
	}
	for id := range int64(4) {
		book(id+1, move(trader, held, "9.8"))
	}
	book(2, move(held, trader, "9.8"), move(trader, shop, "9.5"), move(trader, platform, "0.3"))
	book(4, move(held, trader, "9.8"))
	return b
}

// breakage violates one invariant.
type breakage struct {
	rule string
	// recent says that the audit of what was booked lately finds it too; whole accounts are for the
	// full one.
	recent bool
	sql    string
}

// breakages each violate one invariant behind the back of constraints and triggers. Account 0 is
// the world outside, 12 the cashbox, 14 and 15 what the trader has and what is held of it.
var breakages = map[string]breakage{
	"amount below nothing":        {ruleTransfer, true, booked("x", "1", "14", "12", "-1")},
	"amount of nothing":           {ruleTransfer, true, booked("x", "1", "14", "12", "0")},
	"from an account to itself":   {ruleTransfer, true, booked("x", "1", "14", "14", "1")},
	"from an account that is not": {ruleTransfer, true, booked("x", "1", "987654", "12", "1")},
	"to an account that is not":   {ruleTransfer, true, booked("x", "1", "14", "987654", "1")},
	"account lost":                {ruleTransfer, true, `delete from account where id = 0`},
	"transfer of another amount": {
		ruleBalance, false, `update transfer set amount = amount + 0.00000001 where subject = 'test'`,
	},
	"transfer from another account": {
		ruleBalance, false, `update transfer set debit_account = 2 where subject = 'test'`,
	},
	"transfer to another account": {
		ruleBalance, false, `update transfer set credit_account = 12 where subject = 'test'`,
	},
	"transfer lost":                   {ruleBalance, false, `delete from transfer where subject = 'test'`},
	"transfer that moved no balances": {ruleBalance, false, strings.Split(booked("x", "1", "14", "12", "1"), ";")[0]},
	"settled for another amount": {
		rulePosition, true, `update payment set amount_usdt = amount_usdt + 0.00000001 where id = 2`,
	},
	"far behind the first": {
		rulePosition,
		true,
		`update payment set id = 1099511627776, amount_usdt = amount_usdt + 0.00000001 where id = 2;
		update transfer set subject_id = 1099511627776 where subject = 'payment' and subject_id = 2;
		update webhook_event set subject_id = 1099511627776 where subject_id = 2; update payment_history set payment_id = 1099511627776 where payment_id = 2`,
	},
	"settled to another cashbox":     {rulePosition, true, `update payment set cashbox_id = 2 where id = 2`},
	"settled for another trader":     {rulePosition, true, `update payment set trader_id = 2 where id = 2`},
	"money moved once more":          {rulePosition, true, booked("payment", "1", "14", "12", "1")},
	"settled and waiting for a rate": {ruleDue, true, `update payment set rate_unavailable = true where id = 2`},
	"waiting though pending": {ruleDue, true, `
		insert into settlement_due (merchant_id, payment_id, currency, since) values (1, 1, 'RUB', now())`},
	"event counted but not written": {ruleEvents, true, `update payment set event_sequence = 2 where id = 2`},
	"event lost":                    {ruleEvents, true, `delete from webhook_event where subject_id = 2`},
	"event numbered with a gap":     {ruleEvents, true, `update webhook_event set sequence = 2 where subject_id = 2`},
	"history lost":                  {ruleEvents, true, `delete from payment_history where payment_id = 1`},
	"history tells otherwise": {
		ruleEvents, true, `update payment_history set to_status = 'failed' where payment_id = 1`,
	},
	"balance made up": {
		ruleBalance, false, `update account_balance set balance = balance + 0.00000001 where account_id = 12`,
	},
	"pending credit lost": {ruleBalance, false, `delete from account_pending where account_id = 12`},
	"credit for no account": {
		ruleBalance, false, `insert into account_pending (account_id, amount) values (987654, 1)`,
	},
	"balance lost":  {ruleOne, false, `delete from account_balance where account_id = 1`},
	"balance twice": {ruleOne, false, `insert into account_balance (account_id, version) values (1, 1)`},
	"short without a mark": {ruleShort, false, `
		with a as (update account_balance set balance = balance - 1000 where account_id = 12)
		insert into account_pending (account_id, amount) values (12, 1000)`},
	"reserved for nothing": {ruleReserved, false, booked("x", "1", "14", "15", "1")},
}

// booked is a transfer written behind the ledger's back, from one account to another, and what it
// does to their balances.
func booked(subject, id, from, to, amount string) string {
	return fmt.Sprintf(
		`insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
		values (%[3]s, %[4]s, %[5]s, 'x', '%[1]s', %[2]s, '2026-11-20 12:00Z');
		insert into account_pending (account_id, amount) values (%[3]s, -(%[5]s)), (%[4]s, %[5]s)`,
		subject,
		id,
		from,
		to,
		amount,
	)
}

func TestAuditFindsEachBreakage(t *testing.T) {
	auditable(t).wantFound(t, breakages)
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
	beside, err := db.Open(t.Context(), b.URL, 1, db.ForCommands)
	check(t, err)
	t.Cleanup(beside.Close)
	tx, err := beside.Begin(t.Context())
	check(t, err)
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

// smash runs SQL with triggers and the ledger's constraints out of the way, on a connection of its
// own.
func (b bundle) smash(t *testing.T, sql string) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, b.URL)
	check(t, err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `set session_replication_role = replica; set client_min_messages = warning;
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
