package audit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Violation is a breach of an invariant.
type Violation struct {
	// Rule names the invariant, and Detail says where it is broken.
	Rule   string
	Detail string
}

// rule is an invariant. Its query returns a line of text for every row that
// breaks it. These queries share nothing with those that write.
type rule struct {
	name  string
	query string
	// of is the table that the rule is about. The full audit goes through
	// the table's rows in ranges of ids, after $2 up to $3; the recent
	// audit reads what was booked since $1. Each has its own part of a
	// union, because "or" would read the whole table every minute. A rule
	// without a table is about whole accounts: it is checked only by the
	// full audit, unless recent is set.
	of string
	// prove checks what a single query cannot.
	prove  func(context.Context, db.Pool) ([]string, error)
	recent func(ctx context.Context, pool db.Pool, since time.Time) ([]string, error)
	// next checks what follows an id, and returns the id up to which it
	// came. It is for rules whose subject is not a range of rows.
	next func(ctx context.Context, pool db.Pool, past int64) ([]string, int64, error)
}

// sides has two rows for each transfer: what it did to either account.
const sides = `transfer t
			cross join lateral (values (t.debit_account, -t.amount), (t.credit_account, t.amount)) m (account_id, amount)`

// touched selects the ids of a table's rows that a rule is to check. Transfers
// refer to their subject by the name of its table.
func touched(table string) string { return "(" + booked(table) + ")" }

// booked is the query of touched.
func booked(table string) string {
	return `select subject_id from transfer where subject = '` + table + `' and created_at >= $1
		union all select id from ` + table + ` where id > $2 and id <= $3`
}

// transfersOf selects the transfers of the rows that are touched, and those in
// the rule's range that refer to a row that does not exist.
func transfersOf(table string) string {
	return `t.subject = '` + table + `' and t.subject_id in (` + booked(table) + `
		union all select subject_id from transfer where subject = '` + table + `' and subject_id > $2 and subject_id <= $3)`
}

// unlikeMoved ends a query that lists what accounts should have, by comparing
// it with what the transfers moved.
func unlikeMoved(transfers, line string) string {
	return `) as x (owner_kind, owner_id, purpose, amount)
			join account a on a.owner_kind = x.owner_kind and a.owner_id = x.owner_id and a.purpose = x.purpose
			where x.amount <> 0
		), actual as (
			select t.subject_id as id, m.account_id, sum(m.amount) as amount
			from ` + sides + `
			where ` + transfers + `
			group by t.subject_id, m.account_id having sum(m.amount) <> 0
		)` + unequal(line)
}

// quotient divides and rounds towards 0 to 8 decimals. PostgreSQL's own
// division rounds first, and may round up.
func quotient(a, b string) string { return "div((" + a + ") * 1e8, nullif(" + b + ", 0)) * 0.00000001" }

// quoted lists what an amount of a payment in fiat is worth: at spot, and to
// the merchant.
func quoted(fiat string) string {
	return quotient(fiat, "p.base_rate") + ", " + quotient(fiat+" * 100", "p.base_rate * (100 + p.markup_percent)")
}

// unequal ends a query that lists what accounts should have, by comparing it
// with what they have.
func unequal(line string) string {
	return `
		select format('` + line + `', id, account_id, coalesce(actual.amount, 0), coalesce(expected.amount, 0))
		from expected full join actual using (id, account_id)
		where coalesce(actual.amount, 0) <> coalesce(expected.amount, 0)`
}

var rules = []rule{
	{name: "a transfer moves an amount between two accounts for a known cause", of: "transfer", query: `
		with t as materialized (
			select * from transfer where created_at >= $1 union all select * from transfer where id > $2 and id <= $3
		)
		select format('transfer %s: %s from account %s to %s for %s %s', t.id, t.amount, t.debit_account, t.credit_account,
			t.subject, t.subject_id)
		from t
		left join account d on d.id = t.debit_account left join account c on c.id = t.credit_account
		where t.amount <= 0 or t.amount = 'NaN' or d.id = c.id or d.id is null or c.id is null
			or not case t.subject
				-- What a cashbox insures stays its own.
				when 'insurance' then (d.owner_kind, d.owner_id, c.owner_kind, c.owner_id)
					= ('cashbox', t.subject_id, 'cashbox', t.subject_id)
				when 'sandbox' then exists (select 1 from test_clock)
				else t.subject in ('payment', 'payin', 'deposit', 'withdrawal', 'correction', 'trader_funding') end`},
	{name: "a payment's money stands where its status says", of: "payment", query: `
		with p as (
			select payment.*, exists (select 1 from settlement_due d
				where d.merchant_id = payment.merchant_id and d.payment_id = payment.id) as due
			from payment where payment.id in ` + touched("payment") + `
		), expected as (
			select p.id, a.id as account_id, x.amount
			from p cross join lateral (values
				('trader', p.trader_id, 'available', case
					when p.status in ('pending', 'appeal') or p.due then -p.hold_usdt
					when p.status = 'completed' then -p.amount_usdt - p.spread_platform_usdt - p.difference_usdt else 0 end),
				('trader', p.trader_id, 'reserved', case
					when p.status in ('pending', 'appeal') or p.due then p.hold_usdt else 0 end),
				('cashbox', p.cashbox_id, 'available', case
					when p.status = 'completed' and not p.due then p.amount_usdt else 0 end),
				('platform', 0, 'available', case
					when p.status = 'completed' and not p.due then p.spread_platform_usdt + p.difference_usdt else 0 end)
			` + unlikeMoved(transfersOf("payment"), "payment %s, account %s: has %s, should have %s")},
	{name: "a payment is settled for what was asked or for what came, at its own rate", of: "payment", query: `
		with p as materialized (
			select id, amount, received_amount, settled_amount, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt,
				difference_usdt, hold_usdt, base_rate, markup_percent, trader_share_percent
			from payment where id in ` + touched("payment") + `
		)
		select format('payment %s: asked %s, came %s, %s USDT, spread %s + %s, difference %s, hold %s', p.id, p.amount,
			p.received_amount, p.amount_usdt, p.spread_trader_usdt, p.spread_platform_usdt, p.difference_usdt, p.hold_usdt)
		-- What is compared first is known to be right below, and not calculated again.
		from p
		cross join lateral (values (p.trader_share_percent * 0.01, coalesce(p.settled_amount, p.amount))) v (share, worth)
		cross join lateral (values (` + quoted("p.amount") + `, ` + quoted("worth") + `)) q (asked, asked_usdt, spot, usdt)
		where p.settled_amount <> p.received_amount
			or p.amount_usdt is distinct from usdt or p.profit_usdt is distinct from spot - p.amount_usdt
			or p.spread_trader_usdt is distinct from least(p.profit_usdt, trunc(spot * share, 8))
			or p.spread_platform_usdt is distinct from p.profit_usdt - p.spread_trader_usdt
			or p.difference_usdt <> 0 and (p.settled_amount is not null or p.difference_usdt
				is distinct from ` + quotient("p.received_amount - p.amount", "p.base_rate") + `)
			-- One that waited for its rate was held at the rate before.
			or p.hold_usdt is distinct from case when p.settled_amount is null then spot - p.spread_trader_usdt
				else asked - least(asked - asked_usdt, trunc(asked * share, 8)) end and p.id not in (select subject_id from transfer
				where subject = 'payment' and kind = 'completed-completed' and subject_id in (select id from p))`},
	{name: "what came of a payment is the sum of what counts towards it", of: "payment", query: `
		with kept as materialized (
			select * from arrival where state = 'kept' and payment_id in ` + touched("payment") + `
		)
		select format('payment %s, %s: came %s, counted %s', p.id, p.status, p.received_amount, p.kept)
		from (
			select p.merchant_id, p.id, p.status, p.received_amount, sum(a.amount) as kept,
				bool_and(a.merchant_id = p.merchant_id and a.trader_id = p.trader_id and a.currency = p.currency) as own
			from payment p left join kept a on a.payment_id = p.id
			where p.id in ` + touched("payment") + ` and (p.received_amount is not null or p.id in (select payment_id from kept))
			group by p.merchant_id, p.id, p.status, p.received_amount
		) p
		where p.kept is not null and (not p.own
				or p.status in ('failed', 'cancelled') or p.received_amount <> p.kept
				-- Completed without a word on it since, a payment settles what was asked.
				or p.received_amount is null and (p.status <> 'completed' or not exists (select 1 from payment_history h
					where h.merchant_id = p.merchant_id and h.payment_id = p.id and h.received_amount = p.kept)))
			or p.kept is null and p.status in ('pending', 'appeal') and p.received_amount is not null`},
	{name: "an appeal follows its payment, and a payment is in appeal for a reason", of: "payment", query: `
		select format('payment %s: %s, its appeal %s, came %s', p.id, p.status, a.status, p.received_amount)
		from payment p left join appeal a on a.merchant_id = p.merchant_id and a.payment_id = p.id
		where p.id in ` + touched("payment") + `
			and ((a.status = 'in_review') <> (p.status = 'appeal')
				or a.status = 'open' and p.status <> 'failed'
				or a.status in ('completed', 'failed') and a.status <> p.status
				-- Another amount came, or the application, which may set any status, has set this one.
				or a.status is null and p.status = 'appeal' and p.received_amount is null and not exists (
					select 1 from payment_history h where h.merchant_id = p.merchant_id and h.payment_id = p.id
						and h.at = p.status_at and h.to_status = 'appeal' and h.actor = 'application'))`},
	{name: "a payment is due for settlement exactly while completed without a rate", of: "payment", query: `
		select format('payment %s: %s, due %s', p.id, p.status, d.payment_id is not null)
		from payment p left join settlement_due d on d.merchant_id = p.merchant_id and d.payment_id = p.id
		where (p.status = 'completed' and p.rate_unavailable) <> (d.payment_id is not null)
		and p.id in ` + touched("payment")},
	{name: "a payment's events and history run without gaps", of: "payment", query: `
		with p as (
			select merchant_id, id, status, event_sequence, settled_amount from payment
			where id in ` + touched("payment") + `
		), e as (
			select p.id, count(w.id) as events, coalesce(max(w.sequence), 0) as last
			from p left join webhook_event w
				on w.merchant_id = p.merchant_id and w.subject = 'payment' and w.subject_id = p.id
			group by p.id
		), h as (
			select p.id, count(*) filter (where h.from_status is not null) as moves,
				(array_agg(h.to_status order by h.id desc))[1] as status,
				(array_agg(h.settled_amount order by h.id desc))[1] as settled
			from p left join payment_history h on h.merchant_id = p.merchant_id and h.payment_id = p.id
			group by p.id
		)
		select format('payment %s: sequence %s, %s events up to %s, %s moves to %s (is %s), settled %s (is %s)', p.id, p.event_sequence,
			e.events, e.last, h.moves, h.status, p.status, h.settled, p.settled_amount)
		from p join e using (id) join h using (id)
		where e.events <> p.event_sequence or e.last <> p.event_sequence or h.moves > p.event_sequence
			or h.status is distinct from p.status
			-- The history of what was settled before it was kept there does not have it.
			or h.settled <> coalesce(p.settled_amount, 0)`},
	{name: "an account's balance is what was moved to it less what was moved from it", prove: proveBalances},
	{name: "no account is short unless marked overdrawn", query: `
		select format('account %s: %s', a.id, b.balance) from account a join account_balance b on b.account_id = a.id
		where b.balance < 0 and not b.overdrawn and a.owner_kind <> 'external'`},
	{name: "every account has one balance", query: `
		select format('account %s: %s balances', a.id, count(b.version))
		from account a left join account_balance b on b.account_id = a.id
		group by a.id having count(b.version) <> 1`},
	{name: "a trader's reserved money is the sum of his open holds", query: `
		with open as (
			select p.trader_id, p.hold_usdt from account a
			join payment p on p.trader_id = a.owner_id and p.status in ('pending', 'appeal')
			where a.owner_kind = 'trader' and a.purpose = 'reserved'
			union all
			select p.trader_id, p.hold_usdt from settlement_due d
			join payment p on p.merchant_id = d.merchant_id and p.id = d.payment_id and p.status not in ('pending', 'appeal')
			union all
			select r.trader_id, r.frozen_usdt from payin r where r.status = 'processing' and r.return_of is not null
			union all
			select w.owner_id, w.amount + w.fee from withdrawal w
			where w.cashbox_id is null and w.status in ('requested', 'approved', 'handed_over')
		), held as (
			select trader_id, sum(hold_usdt) as amount from open group by trader_id
		)
		select format('trader %s: reserved %s, held %s', a.owner_id, b.amount, coalesce(held.amount, 0))
		from account a
		join account_balance s on s.account_id = a.id
		left join held on held.trader_id = a.owner_id
		cross join lateral (select s.balance + coalesce((select sum(w.amount) from account_pending w
			where w.account_id = a.id), 0) as amount) b
		where a.owner_kind = 'trader' and a.purpose = 'reserved' and b.amount <> coalesce(held.amount, 0)`},
}

// Everything checks the whole ledger while the server runs; every rule holds if
// no violation is found. It does not read one snapshot: each query has its own,
// and large tables are read in ranges, because a long snapshot would prevent
// the vacuum of all tables.
func Everything(ctx context.Context, pool db.Pool) ([]Violation, error) {
	return progress{}.audit(ctx, pool, func(progress, []Violation) error { return nil })
}

// Since checks the transfers booked since a time, and everything about the
// payments that they belong to.
func Since(ctx context.Context, pool db.Pool, since time.Time) ([]Violation, error) {
	var found []Violation
	for _, r := range allRules() {
		if r.recent != nil {
			r.prove = func(ctx context.Context, pool db.Pool) ([]string, error) { return r.recent(ctx, pool, since) }
		} else if r.of == "" {
			continue
		}
		broken, err := r.ask(ctx, pool, since.UTC().Format(time.RFC3339Nano), 0, 0)
		if err != nil {
			return found, err
		}
		found = append(found, broken...)
	}
	return found, nil
}

// allRules are all invariants. The queries of each stand in the file of what it
// is about.
//
//rule:what proves that the books add up
func allRules() []rule {
	return slices.Concat(rules, payoutRules, depositRules, withdrawalRules, dayRules, hourRules, pageRules, incomeRules)
}

// Size is how much an audit has to check.
type Size struct{ Payments, Payouts, Transfers int64 }

// Count counts what a full audit has to check.
func Count(ctx context.Context, pool db.Pool) (Size, error) {
	var s Size
	err := pool.QueryRow(ctx, "select (select count(*) from payment), (select count(*) from payin), (select count(*) from transfer)").
		Scan(&s.Payments, &s.Payouts, &s.Transfers)
	return s, fault.Doing("count what was audited", err)
}

// progress is how far a full audit has come: all rules before rule are done,
// and rule itself is done for ids up to past.
type progress struct {
	rule string
	past int64
	// found is how many violations there were so far, and rows how many
	// rows were read.
	found int
	rows  int64
}

// audit continues from a progress, and passes each step and its violations to
// note.
func (p progress) audit(
	ctx context.Context, pool db.Pool, note func(progress, []Violation) error,
) ([]Violation, error) {
	var found []Violation
	all := allRules()
	first := max(0, slices.IndexFunc(all, func(r rule) bool { return r.name == p.rule }))
	for i, r := range all[first:] {
		if i > 0 || r.name != p.rule {
			p.rule, p.past = r.name, 0
		}
		for {
			broken, past, rows, err := r.step(ctx, pool, p.past)
			if err != nil {
				return found, err
			}
			found = append(found, broken...)
			p.past, p.found, p.rows = past, p.found+len(broken), p.rows+rows
			if err := note(p, broken); err != nil {
				return found, err
			}
			if past == math.MaxInt64 {
				break
			}
		}
	}
	return found, nil
}

// auditRange is how many rows a rule reads at a time.
const auditRange = 20_000

// step checks a rule for its next range. It returns the last id of the range
// and how many rows that has. The last range has no end, so that it also finds
// transfers that refer to a row that does not exist. A rule about whole
// accounts has only one range.
func (r rule) step(ctx context.Context, pool db.Pool, past int64) ([]Violation, int64, int64, error) {
	const end = int64(math.MaxInt64)
	if r.next != nil {
		var to int64
		var err error
		r.prove = func(ctx context.Context, pool db.Pool) (broken []string, _ error) {
			if broken, to, err = r.next(ctx, pool, past); db.IsDamaged(err) {
				to = end
			}
			return broken, err
		}
		broken, err := r.ask(ctx, pool)
		return broken, to, 0, err
	}
	if r.of == "" {
		broken, err := r.ask(ctx, pool)
		return broken, end, 0, err
	}
	to, rows, err := rangeEnd(ctx, pool, r.of, past, end)
	if err != nil {
		broken, err := r.unasked(err)
		return broken, end, 0, err
	}
	broken, err := r.ask(ctx, pool, "infinity", past, to)
	return broken, to, rows, err
}

// unasked handles the error of a rule that could not be checked. Damaged data
// is returned as a violation, so that the other rules are still checked.
func (r rule) unasked(err error) ([]Violation, error) {
	err = fmt.Errorf("audit %q: %w", r.name, err)
	if db.IsDamaged(err) {
		return []Violation{{damageRule, err.Error()}}, nil
	}
	return nil, err
}

// rangeEnd finds the end of the range that begins after from, at most last, and
// how many rows the range has. Ids may have gaps of any size.
func rangeEnd(ctx context.Context, pool db.Pool, table string, from, last int64) (to, rows int64, err error) {
	err = pool.QueryRow(ctx, "select coalesce(max(id), 0), count(*) from (select id from "+table+
		" where id > $1 and id <= $3 order by id limit $2) r", from, auditRange, last).Scan(&to, &rows)
	if err != nil {
		return 0, 0, fmt.Errorf("find the end of a range: %w", err)
	}
	if rows < auditRange {
		to = last
	}
	return to, rows, nil
}

// ask runs a rule's query.
func (r rule) ask(ctx context.Context, pool db.Pool, args ...any) ([]Violation, error) {
	prove := r.prove
	if prove == nil {
		prove = func(ctx context.Context, pool db.Pool) ([]string, error) {
			return askTexts(ctx, pool, r.query, args...)
		}
	}
	details, err := prove(ctx, pool)
	if err == nil && len(details) > 0 {
		details, err = proveAgain(ctx, pool, details, prove)
	}
	if err != nil {
		return r.unasked(err)
	}
	found := make([]Violation, 0, len(details))
	for _, detail := range details {
		found = append(found, Violation{Rule: r.name, Detail: detail})
	}
	return found, nil
}
