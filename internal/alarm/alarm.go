// Package alarm knows what would call somebody now: one table of rules, each asked of what is stored.
package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Severity is how soon somebody has to look.
type Severity string

// The severities.
const (
	// Page wakes somebody.
	Page Severity = "page"
	// Ticket is for the next working hours.
	Ticket Severity = "ticket"
)

// Rule is an alarm.
type Rule struct {
	Name     string
	Severity Severity
	// Link is the page of the portal that is about it, and Runbook the anchor in docs/operate.md.
	Link, Runbook string
	// Expression is the same for Prometheus.
	Expression string
	find       func(ctx context.Context, q reads, now time.Time) (finding, error)
}

// finding is what a rule has found: nothing where the count is 0.
type finding struct {
	count int64
	// since is when what was found became an alarm; zero where the rows do not tell.
	since time.Time
}

// Alarm is a rule, and whether it fires.
type Alarm struct {
	Rule
	Firing bool
	// Count is what was found: how many, or how many seconds.
	Count int64
	// Since is when it began to fire or to be quiet; nil where nobody has looked before.
	Since *time.Time
	// failed says that nobody knows whether it fires now.
	failed bool
}

// Service asks the rules.
type Service struct {
	q     *db.Queries
	reads reads
	clock clock.Clock
}

// Replica is the read replica, or what stands in for one.
type Replica interface {
	// UnusedFor is for how long lists have been read from the primary instead.
	UnusedFor() time.Duration
}

// Clock is this process's clock beside the database's.
type Clock interface {
	// By is how far it is ahead, and Told whether that is too much.
	By() time.Duration
	Told() bool
}

// Deciders are the operators who decide what others propose.
type Deciders interface {
	// TwoDecide tells whether any of them could decide what another one proposes.
	TwoDecide(ctx context.Context) (bool, error)
}

// reads are what rules ask.
type reads struct {
	*db.Queries
	pool *pgxpool.Pool
	// replica is nil where there is none.
	replica Replica
	// clock is nil where nobody compares it.
	clock Clock
	// deciders is nil where nobody counts them.
	deciders Deciders
}

// New makes the service.
func New(pools db.Pools, c clock.Clock) *Service {
	return &Service{q: db.New(pools.Calls), reads: reads{Queries: db.New(pools.Reads), pool: pools.Reads}, clock: c}
}

// WatchReplica has the service also look at the read replica, as this process sees it.
func (s *Service) WatchReplica(r Replica) { s.reads.replica = r }

// WatchClock has the service also look at this process's clock.
func (s *Service) WatchClock(c Clock) { s.reads.clock = c }

// WatchDeciders has the service also look at who could decide.
func (s *Service) WatchDeciders(d Deciders) { s.reads.deciders = d }

// List asks every rule, and lists those that fire first, and of those the most urgent.
func (s *Service) List(ctx context.Context, who caller.Caller) ([]Alarm, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, err
	}
	now := s.clock.Now()
	alarms, failed := s.ask(ctx, now)
	states, err := s.reads.AlarmStates(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read alarms: %w", err), failed)
	}
	if failed != nil {
		slog.ErrorContext(ctx, "alarms could not be asked: they are shown as they were", "error", failed)
	}
	for i := range alarms {
		for _, state := range states {
			a := &alarms[i]
			if state.Name != a.Name {
				continue
			}
			if a.failed {
				a.Firing = state.Firing
			}
			if state.Firing == a.Firing && a.Since == nil {
				a.Since = &state.Since
			}
		}
	}
	slices.SortStableFunc(alarms, func(a, b Alarm) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.Severity, b.Severity))
	})
	return alarms, nil
}

// urgency is 0 for what fires.
func urgency(a Alarm) int {
	if a.Firing {
		return 0
	}
	return 1
}

// Watch asks every rule, and keeps since when each fires or is quiet. One that cannot be asked keeps nobody
// from hearing of the others.
func (s *Service) Watch(ctx context.Context) error {
	now := s.clock.Now()
	alarms, err := s.ask(ctx, now)
	for _, a := range alarms {
		if a.failed {
			continue
		}
		since := now
		if a.Since != nil {
			since = *a.Since
		}
		err = errors.Join(
			err,
			s.q.AlarmNote(ctx, db.AlarmNoteParams{Name: a.Name, Firing: a.Firing, Since: since, Now: now}),
		)
	}
	return err
}

// ask asks every rule, and returns them all. Without an answer of the database it asks no further.
func (s *Service) ask(ctx context.Context, now time.Time) (alarms []Alarm, err error) {
	away := false
	for _, rule := range Rules() {
		if away {
			alarms = append(alarms, Alarm{Rule: rule, failed: true})
			continue
		}
		found, failed := rule.find(ctx, s.reads, now)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("alarm %s: %w", rule.Name, failed))
			away = ctx.Err() != nil || db.Fault(failed) == db.ErrUnavailable
			alarms = append(alarms, Alarm{Rule: rule, failed: true})
			continue
		}
		a := Alarm{Rule: rule, Firing: found.count > 0, Count: found.count}
		if a.Firing && !found.since.IsZero() {
			a.Since = &found.since
		}
		alarms = append(alarms, a)
	}
	return alarms, err
}
