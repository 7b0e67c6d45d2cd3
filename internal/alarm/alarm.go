// Package alarm decides when somebody has to be called: one table of rules,
// each a query of what is stored.
package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// Severity is how soon somebody has to look.
type Severity string

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
	// Link is the page of the portal about it, and Runbook the section of
	// docs/operate/runbooks.md.
	Link, Runbook string
	// Expression is the same rule for Prometheus.
	Expression string
	find       find
}

// ofWork is the part of the manual about work that waits.
const ofWork = "when-work-waits-too-long"

// OfWork reports whether the alarm is about work that has waited too long.
func (r Rule) OfWork() bool { return r.Runbook == ofWork }

// Leads is the page that tells what to do: the page of the work itself, or the
// section of the manual.
func (r Rule) Leads() string {
	if r.OfWork() {
		return r.Link
	}
	return "/operator/manual/runbooks#" + r.Runbook
}

// find runs the query of a rule.
type find func(ctx context.Context, q reads, now time.Time) (finding, error)

// finding is the result of a rule. A count of 0 means that all is well.
type finding struct {
	count int64
	// since is when it became an alarm; zero if the rows do not say.
	since time.Time
}

// Alarm is a rule and its present state.
type Alarm struct {
	Rule
	Firing bool
	// Count is how many things were found, or a number of seconds.
	Count int64
	// Since is when it began to fire or to be quiet; nil if nothing was
	// noted yet.
	Since *time.Time
	// failed tells that the rule could not be evaluated.
	failed bool
}

// Service evaluates the rules.
type Service struct {
	q     *db.Queries
	reads reads
	clock clock.Clock
}

// Replica is the part of db.Replica that rules use.
type Replica interface {
	// UnusedFor is how long lists have been read from the primary instead
	// of the replica.
	UnusedFor() time.Duration
}

// Clock compares this process's clock with the database's.
type Clock interface {
	// By is how far this process's clock is ahead, and Noticeable whether
	// the difference is worth an alarm.
	By() time.Duration
	Noticeable() bool
}

// Deciders counts the operators who may decide what others propose.
type Deciders interface {
	// TwoDecide tells whether some operator could decide what another one
	// proposes.
	TwoDecide(ctx context.Context) (bool, error)
}

// reads are the sources that rules read from.
type reads struct {
	q    *db.Queries // not embedded: all queries would be compiled again as methods of this type
	pool db.Pool
	// replica is nil if there is none.
	replica Replica
	// clock is nil if the clock is not compared.
	clock Clock
	// deciders is nil if operators are not counted.
	deciders Deciders
}

func New(pools db.Pools, c clock.Clock) *Service {
	return &Service{q: db.New(pools.Calls), reads: reads{q: db.New(pools.Reads), pool: pools.Reads}, clock: c}
}

// WatchReplica adds the rules about the read replica, as this process sees it.
func (s *Service) WatchReplica(r Replica) { s.reads.replica = r }

// WatchClock adds the rule about this process's clock.
func (s *Service) WatchClock(c Clock) { s.reads.clock = c }

// WatchDeciders adds the rule about who could decide proposals.
func (s *Service) WatchDeciders(d Deciders) { s.reads.deciders = d }

// List evaluates every rule. Alarms that fire come first, the most urgent
// before the others.
func (s *Service) List(ctx context.Context, who caller.Caller) ([]Alarm, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	now := s.clock.Now()
	alarms, failed := s.ask(ctx, now)
	states, err := s.reads.q.AlarmStates(ctx)
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

// Firing counts the alarms that fired when Watch last looked. It evaluates no
// rule, for pages that are opened all day.
func (s *Service) Firing(ctx context.Context, who caller.Caller) (int, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return 0, err
	}
	states, err := s.reads.q.AlarmStates(ctx)
	if err != nil {
		return 0, fmt.Errorf("read alarms: %w", err)
	}
	firing := 0
	for _, rule := range Rules {
		if slices.ContainsFunc(states, func(a db.AlarmState) bool { return a.Name == rule.Name && a.Firing }) {
			firing++
		}
	}
	return firing, nil
}

// urgency orders alarms; those that fire have 0.
func urgency(a Alarm) int {
	if a.Firing {
		return 0
	}
	return 1
}

// Watch evaluates every rule and keeps since when each one fires or is quiet. A
// rule that fails does not hold up the others.
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
		err = errors.Join(err, s.q.AlarmNote(ctx, db.AlarmNoteParams{Name: a.Name, Firing: a.Firing, Since: since, Now: now}))
	}
	return err
}

// ask evaluates the rules and returns them all. Once the database does not
// answer, it marks the rest as failed.
func (s *Service) ask(ctx context.Context, now time.Time) (alarms []Alarm, err error) {
	away := false
	for _, rule := range Rules {
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
