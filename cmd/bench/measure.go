package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"gateway.example/internal/audit"
)

// part is a group of measurements. The order matters, because some parts use
// the results or data of earlier ones.
type part struct {
	name    string
	measure func(*bench, context.Context)
}

func parts() []part {
	return []part{
		{"trips", (*bench).roundTrips},
		{"creates", (*bench).creates},
		{"few", (*bench).createsFew},
		{"open", (*bench).latency},
		{"overload", (*bench).overload},
		{"credits", (*bench).credits},
		{"webhooks", (*bench).webhooks},
		{"messages", (*bench).messages},
		{"notifications", (*bench).notifications},
		{"hot", (*bench).hotAccount},
		{"pages", (*bench).pages},
		{"desks", (*bench).openDesksCost},
		{"stored", (*bench).createsStored},
		{"snapshot", (*bench).besideSnapshot},
		{"growth", (*bench).besideOpen},
		{"expire", (*bench).expire},
		{"memory", (*bench).memory},
		{"others", (*bench).others},
		{"soak", (*bench).soak},
		{"audit", (*bench).audit},
	}
}

func partNames() []string {
	names := make([]string, 0, len(parts()))
	for _, p := range parts() {
		names = append(names, p.name)
	}
	return names
}

func (b *bench) wanted(name string) bool {
	return (len(b.only) == 0 || slices.Contains(b.only, name)) && !slices.Contains(b.skip, name)
}

func (b *bench) measure(ctx context.Context) {
	for _, p := range parts() {
		if !b.wanted(p.name) {
			continue
		}
		b.say("%s", p.name)
		check(b.within(func() { p.measure(b, ctx) }), p.name)
	}
	b.report.sample("busy_answers", float64(busyAnswers.Load()))
	b.report.finish()
}

// load is an act that clients repeat without a pause, and where its results
// go.
type load struct {
	// rate and use are the names of the samples of acts a second and of
	// the cost of one; "" keeps none.
	rate, use string
	do        act
	// made are callers whose requests are made before each run.
	made *callers
	// window is the name under which the cost of statements is kept; ""
	// keeps none.
	window string
	// brief shortens the runs, for loads whose rate does not change with
	// time.
	brief bool
}

func (b *bench) brief() time.Duration { return b.seconds / 3 }

func (b *bench) lengthOf(l load) time.Duration {
	if l.brief {
		return b.brief()
	}
	return b.seconds
}

// inTurn warms up the loads and measures them in turn, so that a slow minute
// of the machine affects all of them.
func (b *bench) inTurn(ctx context.Context, loads ...load) {
	for _, l := range loads {
		b.loop(ctx, b.lengthOf(l)/2, l.do)
	}
	for range b.runs {
		for _, l := range loads {
			b.measured(ctx, l)
		}
	}
}

// ahead is the rate of creations for which requests are made beforehand.
const ahead = 3000

// measured measures one run.
func (b *bench) measured(ctx context.Context, l load) {
	length := b.lengthOf(l)
	if l.made != nil {
		l.made.prepare(int(ahead * length.Seconds()))
	}
	b.costs(ctx, l.use, l.window, func() int64 {
		done, took := b.loop(ctx, length, l.do)
		b.report.sample(l.rate, float64(done)/took.Seconds())
		b.say("  %s: %.0f", l.rate, float64(done)/took.Seconds())
		return done
	})
}

// costs calls do, which returns how often it did something, and keeps the cost
// of each time: CPU and WAL under use, and the cost of all statements under
// windowOf; "" keeps none.
func (b *bench) costs(ctx context.Context, use, windowOf string, do func() int64) {
	statements, before := b.statements(ctx), b.use(ctx)
	done := do()
	if done == 0 {
		panic(failure{errors.New("nothing was done")})
	}
	each := b.use(ctx).since(before).per(float64(done))
	if use != "" {
		b.report.sample(use+"_cpu_us", each[gatewayCPU]+each[postgresCPU])
		for i, name := range usageNames {
			b.report.sample(use+name, each[i])
		}
		b.say("  CPU of each: gateway %.0f µs, PostgreSQL %.0f µs, bench %.0f µs", each[gatewayCPU], each[postgresCPU], each[generatorCPU])
	}
	if windowOf == "" {
		return
	}
	if seen := window(statements, b.statements(ctx)); len(seen) > 0 {
		b.report.windows[windowOf] = append(b.report.windows[windowOf], seen)
	}
}

// besideCheckpoint calls do, and lets a checkpoint begin during it. The
// checkpoint is spread out like one of the server's own; the command
// CHECKPOINT would write everything at once. It lasts longer than do and is
// not waited for.
func (b *bench) besideCheckpoint(ctx context.Context, after time.Duration, do func()) {
	conn, failed := b.connectOne(ctx), error(nil)
	end := meanwhile(ctx, func(ctx context.Context) {
		pause(ctx, after)
		// A backup begins with a checkpoint and ends with its session.
		if _, err := conn.Exec(ctx, "select pg_backup_start('bench')"); ctx.Err() == nil {
			failed = err
		}
	})
	do()
	end()
	check(failed, "begin a checkpoint")
}

// audit audits the ledger at the end. The bench's own rows, of the replay and
// of stored payments, must be as right as the gateway's.
func (b *bench) audit(ctx context.Context) {
	count := 0.0
	for _, at := range []*bench{b, b.crowd} {
		if at == nil {
			continue
		}
		found := must(audit.Everything(ctx, at.pool))
		for _, violation := range found[:min(len(found), 5)] {
			b.say("%s: %s", violation.Rule, violation.Detail)
		}
		count += float64(len(found))
	}
	b.report.sample("audit_violations", count)
}
