package alarm

import (
	"cmp"
	"context"
	"time"

	"gateway.example/internal/audit"
	"gateway.example/internal/db"
	"gateway.example/internal/notify"
)

// How long work may wait before an alarm fires.
const (
	recentLate = 10 * time.Minute
	fullLate   = 25 * time.Hour
	// A day is sealed soon after its end: the next one is over an hour
	// after that.
	sealLate    = 25 * time.Hour
	settleLate  = 10 * time.Minute
	relayLate   = time.Minute
	depositLate = time.Hour
	appealLate  = 24 * time.Hour
	chainLate   = 10 * time.Minute
	// stillWithin is how far back is known what feeds brought.
	stillWithin = 24 * time.Hour
	// lostWithin is how far back vanished transfers are counted.
	lostWithin = 7 * 24 * time.Hour
	// withdrawalLate is how long a withdrawal may wait for a decision, for
	// its hand-over or for its transfer. A withdrawal that was stopped
	// raises the alarm at once.
	withdrawalLate = 4 * time.Hour
	// A case fails after a day, and somebody who is away for a night has to
	// see it before.
	caseLate   = 4 * time.Hour
	payoutLate = 30 * time.Minute
	// deadWithin is how far back undeliverable events are counted.
	deadWithin = time.Hour
	// snapshotMost is how old a snapshot may be, in seconds.
	snapshotMost = 300
	// replicaUnusedMost is how long a read replica may be late or away, and
	// how long a new gateway may wait for it.
	replicaUnusedMost = time.Minute
)

var Rules = expressed([]Rule{
	{
		Name: "audit_mismatch", Severity: Page, Link: "/operator/reconciliation", Runbook: "when-the-audit-finds-something",
		Expression: "max(gateway_audit_violations) > 0", find: auditMismatch,
	},
	{
		Name: "audit_late", Severity: Page, Link: "/operator/reconciliation", Runbook: "when-an-audit-is-late",
		Expression: "sum(increase(gateway_audit_runs_total[10m])) == 0", find: auditLate(audit.Recent.Scope, recentLate),
	},
	{
		Name: "full_audit_late", Severity: Page, Link: "/operator/reconciliation", Runbook: "when-an-audit-is-late",
		find: auditLate(audit.Complete.Scope, fullLate),
	},
	{
		Name: "day_unsealed", Severity: Ticket, Link: "/operator/reconciliation", Runbook: "sealed-days",
		Expression: "max(gateway_ledger_seal_age_seconds) > 90000", find: dayUnsealed,
	},
	{
		Name: "account_overdrawn", Severity: Ticket, Link: "/operator/reconciliation", Runbook: "when-an-account-is-overdrawn",
		Expression: "max(gateway_ledger_overdrawn_accounts) > 0", find: overdrawn,
	},
	{
		Name: "rate_stale", Severity: Page, Link: "/operator/rates", Runbook: "when-a-rate-is-stale",
		Expression: "min by (currency) (gateway_rate_fresh) == 0", find: rateStale,
	},
	{Name: "feed_failing", Severity: Ticket, Link: "/operator/rates", Runbook: "when-a-rate-is-stale", find: feedFailing},
	{
		Name: "feed_still", Severity: Ticket, Link: "/operator/rates", Runbook: "when-a-rate-stands-still",
		find: within((*db.Queries).AlarmFeedsStill, stillWithin),
	},
	{
		Name: "settlement_waiting", Severity: Ticket, Link: "/operator/rates", Runbook: "when-a-rate-is-stale",
		find: since((*db.Queries).AlarmSettlements, settleLate),
	},
	{
		Name: "events_dead", Severity: Ticket, Link: "/operator/events/dead", Runbook: "when-webhooks-do-not-arrive",
		Expression: `sum(increase(gateway_webhook_attempts_total{event_status="dead"}[1h])) > 0`, find: within((*db.Queries).AlarmDeadEvents, deadWithin),
	},
	{
		Name: "events_waiting", Severity: Page, Link: "/operator/events/dead", Runbook: "when-webhooks-do-not-arrive",
		Expression: "max(gateway_webhook_relay_age_seconds) > 60", find: eventsWaiting,
	},
	{Name: "payouts_overdue", Severity: Page, Link: "/operator/overdue", Runbook: ofWork, find: payoutsOverdue},
	{
		Name: "deposits_waiting", Severity: Ticket, Link: "/operator/deposits", Runbook: ofWork,
		find: since((*db.Queries).AlarmDeposits, depositLate),
	},
	{
		Name: "withdrawals_waiting", Severity: Page, Link: "/operator/withdrawals", Runbook: ofWork,
		find: within((*db.Queries).AlarmWithdrawals, withdrawalLate),
	},
	{
		Name: "appeals_waiting", Severity: Ticket, Link: "/operator/appeals", Runbook: ofWork,
		find: since((*db.Queries).AlarmAppeals, appealLate),
	},
	{Name: "cases_waiting", Severity: Ticket, Link: "/operator/cases", Runbook: ofWork, find: since((*db.Queries).AlarmCases, caseLate)},
	{
		Name: "card_conflicts", Severity: Page, Link: "/operator/conflicts", Runbook: ofWork,
		Expression: "max(gateway_card_conflicts) > 0", find: within((*db.Queries).AlarmConflicts, 0),
	},
	{
		Name: "factor_locked", Severity: Ticket, Link: "/operator/users", Runbook: "when-a-second-factor-is-locked",
		find: within((*db.Queries).AlarmFactors, 0),
	},
	{
		Name: "payouts_given_back", Severity: Ticket, Link: "/operator/traders", Runbook: "when-a-trader-gives-payouts-back",
		find: givenBackOften,
	},
	{
		Name: "phones_silent", Severity: Ticket, Link: "/operator/traders", Runbook: "when-a-phone-is-silent",
		find: since((*db.Queries).AlarmPhones, notify.PhoneSilent),
	},
	{
		Name: "chain_stuck", Severity: Ticket, Link: "/operator/deposits", Runbook: "when-a-network-is-not-read",
		find: since((*db.Queries).AlarmChains, chainLate),
	},
	{
		Name: "chain_lost", Severity: Page, Link: "/operator/deposits", Runbook: "when-a-transfer-has-vanished",
		find: within((*db.Queries).AlarmChainLost, lostWithin),
	},
	{
		Name: "operator_by_command", Severity: Page, Link: "/operator/users", Runbook: "when-the-command-has-made-an-operator",
		find: within((*db.Queries).AlarmCommand, commandWithin),
	},
	{
		Name: "second_operator_missing", Severity: Ticket, Link: "/operator/users", Runbook: "when-no-second-operator-can-decide",
		find: secondOperatorMissing,
	},
	{
		Name: "clock_skewed", Severity: Page, Runbook: "when-a-clock-is-wrong",
		Expression: "max(abs(gateway_clock_skew_seconds)) > 2", find: clockSkewed,
	},
	{
		Name: "snapshot_old", Severity: Ticket, Runbook: "when-the-database-is-slow",
		Expression: "max(gateway_db_oldest_snapshot_seconds) > 300", find: snapshotOld,
	},
	{Name: "pages_damaged", Severity: Page, Runbook: "when-a-page-is-damaged", find: pagesDamaged},
	{
		Name: "replica_unused", Severity: Ticket, Runbook: "when-the-read-replica-is-not-used",
		Expression: "min(gateway_read_replica_used) == 0", find: replicaUnused,
	},
})

// expressed gives an alarm that has no metric of its own the Prometheus
// expression of whether it fires.
func expressed(rules []Rule) []Rule {
	for i := range rules {
		rules[i].Expression = cmp.Or(rules[i].Expression, `max(gateway_alarm_firing{alarm="`+rules[i].Name+`"}) > 0`)
	}
	return rules
}

// counted is what a query answers that counts how much of something there is,
// and since when.
type counted = struct {
	Count  int64
	Oldest time.Time
}

// within runs a query with the time that lies this long before now.
func within[R ~counted](ask func(*db.Queries, context.Context, time.Time) (R, error), ago time.Duration) find {
	return func(ctx context.Context, from reads, now time.Time) (finding, error) {
		row, err := ask(from.q, ctx, now.Add(-ago))
		found := counted(row)
		return finding{found.Count, found.Oldest}, err
	}
}

// since finds what has waited for longer than this; the alarm is said to begin
// when the wait became too long.
func since[R ~counted](ask func(*db.Queries, context.Context, time.Time) (R, error), late time.Duration) find {
	return func(ctx context.Context, from reads, now time.Time) (finding, error) {
		f, err := within(ask, late)(ctx, from, now)
		f.since = f.since.Add(late)
		return f, err
	}
}

func auditMismatch(ctx context.Context, from reads, _ time.Time) (finding, error) {
	var f finding
	for _, scope := range []string{audit.Recent.Scope, audit.Complete.Scope} {
		row, err := from.q.AlarmAudit(ctx, scope)
		if err != nil {
			return f, err
		}
		f.count += row.Violations
	}
	return f, nil
}

// auditLate finds whether the last audit of a scope began too long ago.
func auditLate(scope string, late time.Duration) func(context.Context, reads, time.Time) (finding, error) {
	return func(ctx context.Context, from reads, now time.Time) (finding, error) {
		row, err := from.q.AlarmAudit(ctx, scope)
		if row.ProvenAt.Unix() == 0 { // none has come to its end: since when one is missing nobody knows
			f := older(now, row.ProvenAt, late)
			f.since = time.Time{}
			f.count = min(f.count, 1)
			return f, err
		}
		return older(now, row.ProvenAt, late), err
	}
}

// older finds by how many seconds something is too old.
func older(now, at time.Time, late time.Duration) finding {
	over := now.Sub(at.Add(late))
	if over <= 0 {
		return finding{}
	}
	return finding{count: max(1, int64(over/time.Second)), since: at.Add(late)}
}

func dayUnsealed(ctx context.Context, from reads, now time.Time) (finding, error) {
	at, err := from.q.AlarmSealed(ctx)
	if db.NoRows(err) {
		return finding{}, nil
	}
	return older(now, at, sealLate), err
}

func overdrawn(ctx context.Context, from reads, _ time.Time) (finding, error) {
	count, err := from.q.AccountsOverdrawn(ctx)
	return finding{count: count}, err
}

func rateStale(ctx context.Context, from reads, now time.Time) (finding, error) {
	rows, err := from.q.AlarmRates(ctx, now)
	f := finding{count: int64(len(rows))}
	for _, row := range rows {
		if f.since.IsZero() || row.Since.Before(f.since) {
			f.since = row.Since
		}
	}
	return f, err
}

func feedFailing(ctx context.Context, from reads, _ time.Time) (finding, error) {
	count, err := from.q.AlarmFeeds(ctx)
	return finding{count: count}, err
}

func eventsWaiting(ctx context.Context, from reads, now time.Time) (finding, error) {
	at, err := from.q.WebhookOutboxOldest(ctx)
	if db.NoRows(err) {
		return finding{}, nil
	}
	return older(now, at, relayLate), err
}

func payoutsOverdue(ctx context.Context, from reads, now time.Time) (finding, error) {
	row, err := from.q.AlarmPayouts(ctx, db.AlarmPayoutsParams{Now: now, TakenUntil: now.Add(-payoutLate)})
	return finding{row.Count, row.Oldest}, err
}

// A trader who gives this many payouts back in a day may be collecting
// recipients' data.
const (
	giveBacksWithin = 24 * time.Hour
	giveBacksMost   = 20
)

func givenBackOften(ctx context.Context, from reads, now time.Time) (finding, error) {
	count, err := from.q.AlarmGiveBacks(ctx, db.AlarmGiveBacksParams{Since: now.Add(-giveBacksWithin), Most: giveBacksMost})
	return finding{count: count}, err
}

// commandWithin is how long an alarm reports an operator who was created by the
// command line rather than by another operator.
const commandWithin = 24 * time.Hour

func secondOperatorMissing(ctx context.Context, from reads, _ time.Time) (finding, error) {
	if from.deciders == nil {
		return finding{}, nil
	}
	if they, err := from.deciders.TwoDecide(ctx); err != nil || they {
		return finding{}, err
	}
	return finding{count: 1}, nil
}

func snapshotOld(ctx context.Context, from reads, _ time.Time) (finding, error) {
	seconds, err := db.OldestSnapshot(ctx, from.pool)
	if seconds <= snapshotMost {
		return finding{}, err
	}
	return finding{count: seconds}, err
}

func pagesDamaged(ctx context.Context, from reads, _ time.Time) (finding, error) {
	count, err := db.DamagedReads(ctx, from.pool)
	return finding{count: count}, err
}

func replicaUnused(_ context.Context, from reads, _ time.Time) (finding, error) {
	if from.replica == nil || from.replica.UnusedFor() <= replicaUnusedMost {
		return finding{}, nil
	}
	return finding{count: int64(from.replica.UnusedFor() / time.Second)}, nil
}

func clockSkewed(_ context.Context, from reads, _ time.Time) (finding, error) {
	if from.clock == nil || !from.clock.Noticeable() {
		return finding{}, nil
	}
	return finding{count: int64(from.clock.By().Abs() / time.Second)}, nil
}
