package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Service shows operators the state of the audits.
type Service struct{ q *db.Queries }

func New(pools db.Pools) *Service { return &Service{q: db.New(pools.Reads)} }

// State is the result of the audits of the ledger.
type State struct {
	Recent, Full Standing
	Invariants   []Invariant
	// Broken are the last audits that found violations, the newest first.
	Broken []Past
}

// Standing is the state of the audits of one scope.
type Standing struct {
	// Last is the last finished audit, or nil.
	Last *Past
	// Running is when an unfinished audit began, and Rule what it is
	// working on.
	Running *time.Time
	Rule    string
	// Done is how many rules it has already proven, and Of is how many
	// there are.
	Done, Of int64
}

// Past is a finished audit.
type Past struct {
	Scope            string
	BeganAt, EndedAt time.Time
	RowsRead         int64
	// Violations is their number; Found has only the first of them.
	Violations int64
	Found      []Violation
}

// Took is how long the audit took.
func (p Past) Took() time.Duration { return p.EndedAt.Sub(p.BeganAt) }

// Invariant is a rule that the ledger always has to obey.
type Invariant struct {
	Name string
	// FullAt is the time up to which the whole ledger was checked, RecentAt
	// that of new transfers. They are nil if there was no such audit,
	// RecentAt also if only the full audit checks the rule.
	FullAt, RecentAt *time.Time
	// Violations are those of the last audits of either scope, and of one
	// that is running.
	Violations []string
}

// ProvedAt is the later of the two times, or nil.
func (i Invariant) ProvedAt() *time.Time {
	if i.RecentAt != nil && (i.FullAt == nil || i.RecentAt.After(*i.FullAt)) {
		return i.RecentAt
	}
	return i.FullAt
}

const (
	// shownMost is how many violations of an audit are shown, and
	// brokenMost how many audits with violations.
	shownMost, brokenMost = 100, 10
	historyPage           = 50
)

func (s *Service) State(ctx context.Context, who caller.Caller) (State, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return State{}, err
	}
	var state State
	rows, err := s.q.AuditRunList(ctx)
	if err != nil {
		return state, fmt.Errorf("read audits: %w", err)
	}
	found := map[string][]string{}
	for _, row := range rows {
		standing, err := s.standing(ctx, row, found)
		if err != nil {
			return state, err
		}
		if row.Scope == Complete.Scope {
			state.Full = standing
		} else {
			state.Recent = standing
		}
	}
	state.Invariants = invariants(state, found)
	state.Broken, err = s.broken(ctx)
	return state, err
}

// standing reads the state of the audits of one scope, and adds its violations
// to found.
func (s *Service) standing(ctx context.Context, row db.AuditRunListRow, found map[string][]string) (Standing, error) {
	var st Standing
	last, err := s.q.AuditHistoryLast(ctx, row.Scope)
	if err != nil && !db.NoRows(err) {
		return st, fmt.Errorf("read the last audit: %w", err)
	}
	runs := []time.Time{}
	if err == nil {
		past := pastOf(last)
		st.Last = &past
		runs = append(runs, last.BeganAt)
	}
	if row.BeganAt.After(row.ProvenAt) {
		st.Running, st.Rule = &row.BeganAt, row.Rule
		all := allRules()
		st.Done, st.Of = int64(max(0, slices.IndexFunc(all, func(r rule) bool { return r.name == row.Rule }))), int64(len(all))
		runs = append(runs, row.BeganAt)
	}
	for _, began := range runs {
		broken, err := s.violations(ctx, row.Scope, began)
		if err != nil {
			return st, err
		}
		for _, v := range broken {
			if !slices.Contains(found[v.Rule], v.Detail) {
				found[v.Rule] = append(found[v.Rule], v.Detail)
			}
		}
	}
	return st, nil
}

func pastOf(row db.AuditHistory) Past {
	return Past{
		Scope:      row.Scope,
		BeganAt:    row.BeganAt,
		EndedAt:    row.EndedAt,
		RowsRead:   row.RowsRead,
		Violations: row.Violations,
	}
}

func (s *Service) violations(ctx context.Context, scope string, began time.Time) ([]Violation, error) {
	rows, err := s.q.AuditViolationList(ctx, db.AuditViolationListParams{Scope: scope, BeganAt: began, Page: shownMost})
	return db.Each(rows, func(row db.AuditViolationListRow) Violation {
		return Violation{Rule: row.Rule, Detail: row.Detail}
	}), fault.Doing("read violations", err)
}

// invariants are all rules, each with the time up to which it was checked.
func invariants(state State, found map[string][]string) []Invariant {
	var list []Invariant
	for _, r := range allRules() {
		i := Invariant{Name: r.name, Violations: found[r.name]}
		if last := state.Full.Last; last != nil {
			i.FullAt = &last.BeganAt
		}
		if last := state.Recent.Last; last != nil && (r.of != "" || r.recent != nil) {
			i.RecentAt = &last.BeganAt
		}
		list = append(list, i)
	}
	return list
}

// broken reads the last audits that found violations.
func (s *Service) broken(ctx context.Context) ([]Past, error) {
	rows, err := s.q.AuditHistoryBroken(ctx, brokenMost)
	if err != nil {
		return nil, fmt.Errorf("read audits: %w", err)
	}
	var list []Past
	for _, row := range rows {
		past := pastOf(row)
		if past.Found, err = s.violations(ctx, row.Scope, row.BeganAt); err != nil {
			return nil, err
		}
		list = append(list, past)
	}
	return list, nil
}

// History lists the finished audits of a scope that began before a time, the
// newest first. more says that there are older ones.
func (s *Service) History(
	ctx context.Context, who caller.Caller, scope string, before time.Time,
) (list []Past, more bool, err error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, false, err
	}
	rows, err := s.q.AuditHistoryList(ctx, db.AuditHistoryListParams{Scope: scope, Before: before, Page: historyPage + 1})
	if err != nil {
		return nil, false, fmt.Errorf("read audits: %w", err)
	}
	for _, row := range rows[:min(len(rows), historyPage)] {
		list = append(list, pastOf(row))
	}
	return list, len(rows) > historyPage, nil
}
