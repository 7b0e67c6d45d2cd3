package audit_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
	"gateway.example/internal/testenv"
)

// legsVersion is the last schema whose transfers had legs.
const legsVersion = 34

// bookLegs writes a transfer as it was then: a header, and the sum each account gained.
const bookLegs = `
	with t as (insert into transfer (kind, subject, subject_id, created_at) values ($1, $2, $3, $4) returning id),
		leg as (select unnest($5::bigint[]) as account_id, unnest($6::text[])::numeric as amount),
		e as (insert into entry (account_id, transfer_id, amount) select account_id, id, amount from t, leg)
	insert into account_pending (account_id, amount) select account_id, amount from leg`

// oldTransfers are of every kind there was, about the payments and payouts of the audit's tests and
// these payments beside: 5 completed and taken back, 6 and 7 completed, settled at another rate
// than held, and in appeal. Account 0 is the world outside, 2 the platform, 12 and 13 what the
// cashbox has available and reserved, 14 and 15 what the trader has.
var oldTransfers = []struct {
	kind, subject string
	ids           []int64
	accounts      []int64
	amounts       string
}{
	{"funding", "test", []int64{0}, []int64{0, 14}, "-200 200"},
	{"funding", "test", []int64{0}, []int64{0, 12}, "-200 200"},
	{"hold", "payment", []int64{1, 2, 3, 4, 5, 6, 7}, []int64{14, 15}, "-9.8 9.8"},
	{"pending-completed", "payment", []int64{2, 5}, []int64{15, 12, 2}, "-9.8 9.5 0.3"},
	{"pending-failed", "payment", []int64{4}, []int64{15, 14}, "-9.8 9.8"},
	{"completed-failed", "payment", []int64{5}, []int64{12, 2, 14}, "-9.5 -0.3 9.8"},
	{"completed-completed", "payment", []int64{6}, []int64{15, 12, 2, 14}, "-9.8 9.6 0.1 0.1"},
	{"completed-appeal", "payment", []int64{6}, []int64{15, 12, 2, 14}, "9.8 -9.6 -0.1 -0.1"},
	{"completed-completed", "payment", []int64{7}, []int64{15, 14, 12, 2}, "-9.8 -0.10000001 9.7 0.20000001"},
	{"completed-appeal", "payment", []int64{7}, []int64{15, 14, 12, 2}, "9.8 0.10000001 -9.7 -0.20000001"},
	{"freeze", "payin", []int64{1, 2, 3, 4, 5, 6, 7, 8}, []int64{12, 13}, "-10.2 10.2"},
	{"processing-completed", "payin", []int64{3, 7}, []int64{13, 14, 2}, "-10.2 10.15 0.05"},
	{"processing-failed", "payin", []int64{4}, []int64{13, 12}, "-10.2 10.2"},
	{"waiting-cancelled", "payin", []int64{5}, []int64{13, 12}, "-10.2 10.2"},
	{"waiting-expired", "payin", []int64{6}, []int64{13, 12}, "-10.2 10.2"},
	{"completed-failed", "payin", []int64{7}, []int64{14, 2, 12}, "-10.15 -0.05 10.2"},
	{"deposit", "deposit", []int64{2}, []int64{0, 12}, "-7 7"},
	{"insurance", "insurance", []int64{1}, []int64{12, 13}, "-7 7"},
	{"insurance", "insurance", []int64{1}, []int64{13, 12}, "-2 2"},
	{"funding", "trader_funding", []int64{1}, []int64{0, 14}, "-20 20"},
	{"withdrawal", "trader_funding", []int64{2}, []int64{14, 0}, "-3 3"},
}

// morePayments are like the completed one, but taken back.
const morePayments = `
	create temp table more as select payment.*, n from payment, generate_series(5, 7) n where id = 2;
	update more set id = n, uuid = gen_random_uuid(), status = case n when 5 then 'failed' else 'appeal' end, event_sequence = 2;
	alter table more drop column n;
	insert into payment select * from more;
	insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
	select 1, id, created_at, 'x', from_status, coalesce(to_status, status) from more, (values
		(1, null, 'pending'), (2, 'pending', 'completed'), (3, 'completed', null)) move (number, from_status, to_status)
	order by number;
	insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
	select 1, gen_random_uuid(), 1, 'x', 'payment', id, sequence, callback_uri, '{}', created_at
	from more, generate_series(1, 2) as sequence`

// withLegs is a database of that time with money in every position, some of it folded into the
// balances.
func withLegs(t *testing.T) bundle {
	t.Helper()
	b := bundle{dbtest.At(t, legsVersion)}
	for _, a := range []ledger.Account{shop, trader} {
		b.Exec(t, `insert into account (id, owner_kind, owner_id, purpose)
			values ($1, $2, $3, 'available'), ($1::bigint + 1, $2, $3, 'reserved')`, a.ID(), a.Owner.String(), a.OwnerID)
	}
	b.Exec(t, payments+";"+payouts+";"+morePayments)
	at := dbtest.Start
	for _, old := range oldTransfers {
		for _, id := range old.ids {
			at = at.Add(time.Second)
			b.Exec(t, bookLegs, old.kind, old.subject, id, at, old.accounts, strings.Fields(old.amounts))
		}
	}
	b.Exec(t, `
		with folded as (delete from account_pending where account_id in (0, 12, 14) returning *)
		update account a set balance = (select sum(f.amount) from folded f where f.account_id = a.id) where id in (0, 12, 14)`)
	return b
}

// What was moved, by whom and when, in a line for each account.
const (
	movedByLegs = `select string_agg(line, E'\n' order by line) from (
		select concat_ws(' ', subject, subject_id, t.kind, t.created_at, e.account_id, sum(e.amount)) as line
		from transfer t join entry e on e.transfer_id = t.id group by subject, subject_id, t.kind, t.created_at, e.account_id) moved`
	movedByRows = `select string_agg(line, E'\n' order by line) from (
		select concat_ws(' ', subject, subject_id, kind, created_at, account, sum(m.amount)) as line
		from transfer, lateral (values (debit_account, -amount), (credit_account, amount)) m (account, amount)
		group by subject, subject_id, kind, created_at, account having sum(m.amount) <> 0) moved`
)

func TestMigrateLegs(t *testing.T) {
	t.Parallel()
	b := withLegs(t)
	// The rules that the audit had for legs.
	for _, rule := range []string{
		"select count(*) from (select from transfer t left join entry e on e.transfer_id = t.id group by t.id having coalesce(sum(e.amount), 1) <> 0) x",
		"select count(*) from entry e where not exists (select from transfer t where t.id = e.transfer_id)",
		`select count(*) from account a where balance + (select coalesce(sum(p.amount), 0) from account_pending p where p.account_id = a.id)
			<> (select coalesce(sum(e.amount), 0) from entry e where e.account_id = a.id)`,
	} {
		testenv.Want(t, b.Count(t, rule), 0, "before: %s", rule)
	}
	before := b.Text(t, movedByLegs)
	check(t, db.Migrate(t.Context(), b.URL))
	b.Pool.Reset()
	wantRules(t, "")(audit.Everything(t.Context(), b.Pool))
	testenv.Want(t, b.Text(t, movedByRows), before, "moved before")
	if n := b.Count(
		t, "select count(*) from transfer a join transfer b on a.id < b.id and a.created_at > b.created_at",
	); n != 0 {
		t.Errorf("%d transfers out of their order", n)
	}
	// As the gateway books it today: what each of two got, from the one who gave it.
	got := b.Text(t, `select string_agg(debit_account || '>' || credit_account || ' ' || amount, ', ' order by id)
		from transfer where subject = 'payment' and subject_id = 2`)
	testenv.Want(t, got, "14>15 9.80000000, 15>2 0.30000000, 15>12 9.50000000", "payment 2")
	// The ledger goes on where it was.
	check(t, b.post(move(trader, shop, "1")))
	b.Audit(t)
}

// A ledger that is out of balance is not hidden by the new form: it stays as it is, for somebody to
// look at.
func TestMigrateRefusesLegsOutOfBalance(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"a leg too many":      "insert into entry (account_id, transfer_id, amount) select 0, max(id), 0.00000001 from transfer",
		"a leg lost":          "delete from entry where id = (select max(id) from entry)",
		"no legs":             "delete from entry where transfer_id = (select max(id) from transfer)",
		"no transfer":         "delete from transfer where id = (select max(id) from transfer)",
		"of another currency": "update entry set currency = 'RUB' where transfer_id = (select max(id) from transfer)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withLegs(t)
			b.Exec(t, "set session_replication_role = replica; "+sql)
			before := b.Text(t, movedByLegs)
			err := db.Migrate(context.Background(), b.URL)
			if err == nil || !strings.Contains(err.Error(), "the ledger is not in balance and stays as it is") {
				t.Errorf("%v", err)
			}
			testenv.Want(t, b.Text(t, movedByLegs), before, "moved before")
		})
	}
}
