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

// Service tells operators how the audits stand.
type Service struct{ q *db.Queries }

// New makes the service.
func New(pools db.Pools) *Service { return &Service{q: db.New(pools.Reads)} }

// State is whether the ledger holds, as far as the audits know.
type State struct {
	Recent, Full Standing
	Invariants   []Invariant
	// Broken are the last audits that found something, the newest first.
	Broken []Past
}

// Standing is how the audit of a scope stands.
type Standing struct {
	// Last is the last that came to its end, nil where none has yet.
	Last *Past
	// Running is when one began that has not come to its end; Rule is what it is at, Found what it has
	// found so far, RowsRead how many rows it went through, and SeenAt when it last came further.
	Running  *time.Time
	Rule     string
	Found    int64
	RowsRead int64
	SeenAt   time.Time
}

// Past is an audit that came to its end.
type Past struct {
	Scope            string
	BeganAt, EndedAt time.Time
	RowsRead         int64
	// Violations is how many it found, and Found are the first of them.
	Violations int64
	Found      []Violation
}

// Took is how long it lasted.
func (p Past) Took() time.Duration { return p.EndedAt.Sub(p.BeganAt) }

// Invariant is what always holds in the ledger.
type Invariant struct {
	Name string
	// FullAt is up to when the whole ledger is proved by it, RecentAt up to when what is new: nil where
	// it never was, or is left to the full audit.
	FullAt, RecentAt *time.Time
	// Violations are what breaks it, as the last audits of either scope and one that runs have found.
	Violations []string
}

// ProvedAt is up to when it is proved at all.
func (i Invariant) ProvedAt() *time.Time {
	if i.RecentAt != nil && (i.FullAt == nil || i.RecentAt.After(*i.FullAt)) {
		return i.RecentAt
	}
	return i.FullAt
}

const (
	// shownMost is how many violations of an audit are shown, brokenMost of how many audits.
	shownMost, brokenMost = 100, 10
	historyPage           = 50
)

// State tells whether the ledger holds.
func (s *Service) State(ctx context.Context, who caller.Caller) (State, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return State{}, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
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

// standing tells how an audit stands, and adds what it found, by the invariants.
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
		st.Running, st.Rule, st.Found, st.RowsRead, st.SeenAt = &row.BeganAt, row.Rule, row.Found, row.RowsRead, row.SeenAt
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
	if err != nil {
		return nil, fmt.Errorf("read violations: %w", err)
	}
	list := make([]Violation, 0, len(rows))
	for _, row := range rows {
		list = append(list, Violation{Rule: row.Rule, Detail: row.Detail})
	}
	return list, nil
}

// invariants are all there are, each with up to when it is proved.
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

// broken are the last audits that found something.
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

// History lists the audits of a scope that came to their ends, the newest first, from before a moment
// on. More tells that there are older ones.
func (s *Service) History(
	ctx context.Context, who caller.Caller, scope string, before time.Time,
) (list []Past, more bool, err error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, false, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return nil, false, err
	}
	rows, err := s.q.AuditHistoryList(
		ctx,
		db.AuditHistoryListParams{Scope: scope, Before: before, Page: historyPage + 1},
	)
	if err != nil {
		return nil, false, fmt.Errorf("read audits: %w", err)
	}
	for _, row := range rows[:min(len(rows), historyPage)] {
		list = append(list, pastOf(row))
	}
	return list, len(rows) > historyPage, nil
}
