package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway/internal/checkout"
	"gateway/internal/db"
	"gateway/internal/ledger"
	"gateway/internal/routing"
)

const (
	relayEvery     = 30 * time.Millisecond
	settingsEvery  = 100 * time.Millisecond
	sweepEvery     = time.Second
	foldEvery      = 10 * time.Second
	tidyEvery      = 10 * time.Minute
	limitsEvery    = time.Minute
	auditEvery     = time.Minute
	fullAuditEvery = 24 * time.Hour
	// auditOverlap covers transactions that were still open when the audit before looked.
	auditOverlap = 5 * time.Minute
)

// loop is work that comes round again.
type loop struct {
	name  string
	every time.Duration
	work  func(context.Context) error
}

func (g *gateway) loops() []loop {
	lastAudit := g.clock.Now()
	return []loop{
		{"relay events", relayEvery, g.relay.Run},
		{"renew settings", settingsEvery, func(ctx context.Context) error { _, err := g.directory.Renew(ctx); return err }},
		{"expire", sweepEvery, func(ctx context.Context) error { _, err := g.round.payments.Expire(ctx); return err }},
		{"expire payouts", sweepEvery, func(ctx context.Context) error { _, err := g.round.payouts.Expire(ctx); return err }},
		{"settle", sweepEvery, func(ctx context.Context) error { _, err := g.round.payments.Settle(ctx); return err }},
		{"poll acquirers", sweepEvery, g.pollAcquirers},
		{"prune cards", tidyEvery, g.round.checkouts.Prune},
		{"poll rates", sweepEvery, g.rates.Poll},
		{"fold", foldEvery, func(ctx context.Context) error { return ledger.Fold(ctx, g.workPool, db.New(g.workPool)) }},
		{"rate limits", limitsEvery, g.limits.Load},
		{"prune slots", tidyEvery, g.round.payments.PruneSlots},
		{"note keys", keysEvery, g.noteKeys},
		{"prune days", tidyEvery, func(ctx context.Context) error { return routing.PruneDays(ctx, db.New(g.workPool), g.clock.Now()) }},
		{"prune tokens", tidyEvery, g.users.Prune},
		{"tend memory", tendEvery, func(context.Context) error { tendMemory(); return nil }},
		{"prune endpoints", tidyEvery, func(ctx context.Context) error { return db.New(g.workPool).WebhookEndpointPrune(ctx) }},
		{"audit", auditEvery, func(ctx context.Context) error {
			since := lastAudit.Add(-auditOverlap)
			lastAudit = g.clock.Now()
			found, err := ledger.AuditSince(ctx, g.workPool, since)
			return g.audits.report("recent", found, err)
		}},
		{"full audit", fullAuditEvery, func(ctx context.Context) error {
			found, err := ledger.Audit(ctx, g.workPool)
			return g.audits.report("full", found, err)
		}},
	}
}

// pollAcquirers begins a round without waiting for it: an acquirer that hangs would hold up the next.
func (g *gateway) pollAcquirers(ctx context.Context) error {
	g.polls.Go(func() {
		if err := g.round.checkouts.Poll(ctx); err != nil && !errors.Is(err, context.Canceled) {
			slog.ErrorContext(ctx, "acquirers could not be asked", "error", err)
		}
	})
	return nil
}

// work runs every loop until ctx ends, and returns when the last has finished its round.
func (g *gateway) work(ctx context.Context) {
	var running sync.WaitGroup
	for _, l := range g.loops() {
		running.Go(func() { l.run(ctx) })
	}
	running.Wait()
	g.polls.Wait()
	g.rates.Wait()
}

func (l loop) run(ctx context.Context) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		// A round that has begun is not cut short: it ends at its next transaction.
		next := tick.C
		if err := l.work(ctx); err != nil && !errors.Is(err, context.Canceled) {
			slog.ErrorContext(ctx, "background work failed", "work", l.name, "error", err)
			if l.every < sweepEvery {
				next = time.After(sweepEvery) // the log takes a line a second, not thirty
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-next:
		}
	}
}

// audits says what the running audit finds.
type audits struct {
	violations *prometheus.GaugeVec
	runs       prometheus.Counter
}

func newAudits(metrics prometheus.Registerer) audits {
	a := audits{
		violations: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "gateway_audit_violations", Help: "Broken ledger invariants the last audit of each scope found; anything but 0 is an alarm.",
		}, []string{"scope"}),
		runs: prometheus.NewCounter(prometheus.CounterOpts{Name: "gateway_audit_runs_total", Help: "Audits that ran to their end."}),
	}
	metrics.MustRegister(a.violations, a.runs)
	return a
}

// report keeps the scopes apart: what a full audit found stands until the next full one.
func (a audits) report(scope string, found []ledger.Violation, err error) error {
	if err != nil {
		return err
	}
	a.runs.Inc()
	a.violations.WithLabelValues(scope).Set(float64(len(found)))
	for _, violation := range found {
		slog.Error("ledger invariant broken", "rule", violation.Rule, "detail", violation.Detail)
	}
	return nil
}

// watchOverdrawn counts the accounts that forced debits left short.
func watchOverdrawn(metrics prometheus.Registerer, q *db.Queries) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_ledger_overdrawn_accounts", Help: "Accounts short of what was already spent; anything but 0 is an alarm.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		count, err := q.AccountsOverdrawn(ctx)
		if err != nil {
			return -1
		}
		return float64(count)
	}))
}

// watchConflicts counts the charges that operators have to look into.
func watchConflicts(metrics prometheus.Registerer, checkouts *checkout.Service) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_card_conflicts", Help: "Charges that ended otherwise than their payments; anything but 0 is an alarm.",
	}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		count, err := checkouts.OpenConflicts(ctx)
		if err != nil {
			return -1
		}
		return float64(count)
	}))
}
