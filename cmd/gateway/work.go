package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/audit"
	"gateway.example/internal/books"
	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
	"gateway.example/internal/report"
	"gateway.example/internal/routing"
	"gateway.example/internal/webhook"
)

const (
	relayEvery    = 30 * time.Millisecond
	settingsEvery = 100 * time.Millisecond
	feedEvery     = 200 * time.Millisecond
	noticesEvery  = 500 * time.Millisecond
	dayTellEvery  = time.Minute
	sweepEvery    = time.Second
	matchEvery    = 2 * time.Second
	foldEvery     = 10 * time.Second
	tidyEvery     = 10 * time.Minute
	limitsEvery   = time.Minute
	// How often the sums for reports are brought up to date.
	summariesEvery = time.Hour
	hoursEvery     = 2 * time.Second
	// How often tables get partitions for coming months.
	monthsEvery = time.Hour
	// How often data is removed that was kept long enough.
	purgeEvery = time.Hour
	// How often the sealer looks for a day to seal.
	sealEvery = time.Minute
	// How often it is checked whether an audit is due, which
	// internal/audit decides.
	auditEvery     = 10 * time.Second
	fullAuditEvery = time.Minute
	alarmsEvery    = 30 * time.Second
	replicaEvery   = time.Second
	clocksEvery    = 10 * time.Second
	beatEvery      = time.Second
)

// loop is periodic work.
type loop struct {
	name  string
	every time.Duration
	work  func(context.Context) error
}

// timelessLoops do not depend on the time, so they also run while the clock is
// wrong.
func (g *gateway) timelessLoops() []loop {
	loops := []loop{
		{"compare clocks", clocksEvery, func(ctx context.Context) error { return g.skew.Watch(ctx, g.beatPool) }},
		{"ask the database", beatEvery, func(ctx context.Context) error { return g.group.Beat(ctx, g.beatPool) }},
		{"renew settings", settingsEvery, func(ctx context.Context) error {
			_, err := g.keeper.Renew(ctx)
			return err
		}},
		{"rate limits", limitsEvery, g.limits.Load},
		{"fold", foldEvery, func(ctx context.Context) error { return ledger.Fold(ctx, g.workPool, db.New(g.workPool)) }},
		{"tend memory", tendEvery, func(context.Context) error { tendMemory(); return nil }},
		{"watch alarms", alarmsEvery, g.alarms.Watch},
	}
	if g.replica != nil {
		loops = append(loops, loop{"watch the read replica", replicaEvery, g.replica.Watch})
	}
	if !g.offline { // it numbers what the merchants' feeds show
		loops = append(loops, loop{"relay events", relayEvery, g.relay.Watch})
	}
	return loops
}

// datedLoops pause while the clock is wrong.
func (g *gateway) datedLoops() []loop {
	loops := []loop{
		{"expire", sweepEvery, func(ctx context.Context) error { _, err := g.round.payments.Expire(ctx); return err }},
		{"expire payouts", sweepEvery, func(ctx context.Context) error {
			_, err := g.round.payouts.Expire(ctx)
			return err
		}},
		{"settle", sweepEvery, func(ctx context.Context) error { _, err := g.round.payments.Settle(ctx); return err }},
		{"settle withdrawals", sweepEvery, g.round.withdrawals.Settle},
		{"match deposits", matchEvery, g.matcher.Match},
		{"keep refusals", foldEvery, func(ctx context.Context) error { return g.refusals.Keep(ctx, g.workPool) }},
		{"count hours", hoursEvery, g.hours.Count},
		{"summarise", summariesEvery, func(ctx context.Context) error {
			return errors.Join(report.NoteFirstIDs(ctx, g.workPool, g.clock), books.Close(ctx, g.workPool, g.clock))
		}},
		{"audit", auditEvery, func(ctx context.Context) error { return g.audit(ctx, audit.Recent) }},
		{"full audit", fullAuditEvery, func(ctx context.Context) error { return g.audit(ctx, audit.Complete) }},
		{"seal days", sealEvery, g.seal},
		{"note keys", keysEvery, g.noteKeys},
		// Ids of events contain the real time; a sandbox's clock may
		// be years ahead of it.
		{"make months", monthsEvery, func(ctx context.Context) error { return db.MakeMonths(ctx, g.workPool, time.Now()) }},
		{"purge", purgeEvery, g.purge},
		{"prune cards", tidyEvery, g.round.checkouts.Prune},
		{"erase card holders", tidyEvery, func(ctx context.Context) error {
			return webhook.EraseHolders(ctx, g.workPool)
		}},
		{"tidy", tidyEvery, g.tidy},
	}
	if !g.offline {
		loops = append(loops,
			loop{"feed replays", feedEvery, g.replays.FeedReplays},
			loop{"poll acquirers", sweepEvery, g.pollAcquirers},
			loop{"find what users are told", noticesEvery, g.noticeFeed.Find},
			loop{"summarise days for merchants", dayTellEvery, g.noticeFeed.Summaries},
			loop{"poll rates", sweepEvery, g.rates.Poll},
		)
		loops = append(loops, g.chains...)
	}
	if g.simulator != nil {
		loops = append(loops, loop{"simulate traders", sweepEvery, g.simulator.Step})
	}
	return loops
}

// tidy deletes rows that nothing needs any more. If one kind fails, the others
// are tidied all the same.
func (g *gateway) tidy(ctx context.Context) error {
	q := db.New(g.workPool)
	return errors.Join(
		g.round.payments.PruneSlots(ctx),
		routing.PruneDays(ctx, q, g.clock.Now()),
		g.round.payouts.PurgeFiles(ctx),
		g.users.Prune(ctx),
		g.submissions.Prune(ctx),
		g.queues.Prune(ctx),
		g.requests.Prune(ctx),
		g.notices.Prune(ctx),
		q.WebhookEndpointPrune(ctx),
	)
}

// purge removes data that was kept as long as the settings say.
func (g *gateway) purge(ctx context.Context) error {
	var failed []error
	if keep := g.keepFiles; keep > 0 {
		failed = append(failed, g.round.payments.PurgeFiles(ctx, keep), g.round.payouts.PurgeProofs(ctx, keep))
	}
	if keep := g.keepRequisites; keep > 0 {
		failed = append(failed, g.round.payouts.PurgeRequisites(ctx, keep))
	}
	if keep := g.keepMessages; keep > 0 {
		failed = append(failed, g.messages.Purge(ctx, keep))
	}
	if keep := g.keepAttempts; keep > 0 {
		failed = append(failed, webhook.PurgeAttempts(ctx, g.workPool, g.clock.Now(), keep))
	}
	return errors.Join(failed...)
}

// pollAcquirers starts a round and does not wait for it, because one hanging
// acquirer would delay the next round.
func (g *gateway) pollAcquirers(ctx context.Context) error {
	g.polls.Go(func() {
		if err := g.round.checkouts.Poll(ctx); err != nil && !errors.Is(err, context.Canceled) {
			slog.ErrorContext(ctx, "acquirers could not be asked", "error", err)
		}
	})
	return nil
}

// work runs all loops until ctx ends. It returns when the last round is
// finished.
func (g *gateway) work(ctx context.Context) {
	var running sync.WaitGroup
	loops := g.timelessLoops()
	for _, l := range g.datedLoops() {
		l.work = unlessWrong(g.skew, l.work)
		loops = append(loops, l)
	}
	for _, l := range loops {
		running.Go(func() { l.run(ctx) })
	}
	running.Wait()
	g.polls.Wait()
	g.rates.Wait()
}

// unlessWrong skips rounds while the clock is wrong.
func unlessWrong(skew *db.Skew, work func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		if skew.Wrong() {
			return nil
		}
		return work(ctx)
	}
}

// run runs rounds until ctx ends, the first at once. Rounds of a loop never
// overlap. A failed round is logged and tried again at the next tick, but not
// before sweepEvery.
func (l loop) run(ctx context.Context) {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		// When ctx ends, a running round ends at its next transaction.
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

// audit runs an audit that is due, and logs what it finds.
func (g *gateway) audit(ctx context.Context, run audit.Run) error {
	found, due, err := run.Do(ctx, g.workPool, g.clock.Now)
	for _, violation := range found {
		slog.Error("ledger invariant broken", "rule", violation.Rule, "detail", violation.Detail)
	}
	if due && err == nil {
		g.auditRuns.Inc()
	}
	return err
}

// watchAudits counts the audits of this process, and adds a metric of the
// latest result of each scope, whichever process it was.
func watchAudits(metrics prometheus.Registerer, q *db.Queries) prometheus.Counter {
	for _, run := range []audit.Run{audit.Recent, audit.Complete} {
		prometheus.WrapRegistererWith(prometheus.Labels{"scope": run.Scope}, metrics).MustRegister(asked(
			"gateway_audit_violations",
			"Broken ledger invariants the last audit of each scope found; anything but 0 is an alarm.",
			func(ctx context.Context) (int64, error) { return q.AuditRunViolations(ctx, run.Scope) },
		))
	}
	runs := prometheus.NewCounter(prometheus.CounterOpts{Name: "gateway_audit_runs_total", Help: "Audits that ran to their end."})
	metrics.MustRegister(runs)
	return runs
}

// asked is a metric that queries the database at each scrape; -1 if the query
// fails.
func asked(name, help string, ask func(ctx context.Context) (int64, error)) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		value, err := ask(ctx)
		if err != nil {
			return -1
		}
		return float64(value)
	})
}

func (g *gateway) seal(ctx context.Context) error {
	err := g.sealer.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) {
		g.sealFails.Inc()
	}
	return err
}

const (
	// tendEvery is how often the garbage collector's target is set again.
	tendEvery = 10 * time.Second
	// garbageMost limits the garbage between two collections. The two
	// percentages of the live memory have precedence.
	garbageMost                       = 128 << 20
	garbagePartLeast, garbagePartMost = 50, 400
)

// tendMemory makes the garbage collector wait for a fixed amount of garbage.
// By default Go allows as much garbage as there is live memory: a small
// gateway with a few megabytes would collect many times a second, and one with
// many requisites too seldom. GOGC in the environment has precedence.
func tendMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePart(liveBytes()))
	}
}

// garbagePart is the garbage allowed, in percent of the live memory.
func garbagePart(live uint64) int {
	return int(min(max(garbageMost*100/max(live, 1), garbagePartLeast), garbagePartMost))
}

// liveBytes is the live memory after the last collection.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
