// Package auditlog reads what was done and set, by whom and from where: changes
// of settings, sign-ins, looks at what is hidden, and what operators proposed
// and decided. Each is kept in a table of its own, by who does it.
package auditlog

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/export"
	"gateway.example/internal/fault"
	"gateway.example/internal/report"
)

// The kinds of lines.
const (
	// Setting is a change of what operators, traders and merchants set.
	Setting = "setting"
	// ViewAs is an operator beginning or ending to view the portal as
	// another user.
	ViewAs = "view_as"
	// SignIn is a successful sign-in or second factor, and Failed an
	// unsuccessful one.
	SignIn = "sign_in"
	Failed = "sign_in_failed"
	// Read is an operator viewing data that is hidden until somebody asks
	// for it.
	Read = "read"
	// Proposal is an action that needs a second operator, and Decision what
	// the second operator decided.
	Proposal = "proposal"
	Decision = "decision"
)

// Kinds are the kinds by which the log can be filtered.
func Kinds() []string {
	return []string{Setting, ViewAs, SignIn, Failed, Read, Proposal, Decision}
}

// Filter selects lines of the log. Its zero value selects everything.
type Filter struct {
	report.Paging
	// Kinds selects kinds; empty means all.
	Kinds []string
	// User selects what a user did, by login or id, or a program by its
	// name, such as application.
	User string
	// Subject and Key select what was changed, such as cashbox and 12.
	Subject, Key string
	// From (inclusive) and To (exclusive) bound the time.
	From, To time.Time
}

// Item is a line of the log. Fields that do not belong to its kind are empty.
type Item struct {
	// ID is unique among the lines of its kind. For a proposal and its
	// decision it is the id of the proposal.
	ID   int64
	At   time.Time
	Kind string
	// Actor is who did it, such as operator:1. Login is the login if the
	// actor is a user.
	Actor, Login string
	// Subject and Key are what was changed. SubjectLogin is the login if a
	// user was changed.
	Subject, Key, SubjectLogin string
	// Before and After are JSON, without secrets and without whole
	// requisites. Before is nil for something new.
	Before, After []byte
	// What is the part that was viewed, such as file, or the action that
	// was proposed. Reason is the reason given by who changed, proposed or
	// decided it.
	What, Reason string
	// Door, Address and Agent belong to a sign-in. Outcome is the outcome
	// of the sign-in or the proposal.
	Door, Outcome, Address, Agent string
}

// place is a place between two lines of the log, which are ordered by time,
// then source, then id.
type place struct {
	at   time.Time
	rank int
	id   int64
}

func (p place) compare(q place) int {
	return cmp.Or(p.at.Compare(q.at), cmp.Compare(p.rank, q.rank), cmp.Compare(p.id, q.id))
}

func (p place) cursor() *string {
	return new(fmt.Sprintf("%d.%d.%d", p.at.UnixMicro(), p.rank, p.id))
}

// parsePlace reads a cursor.
func parsePlace(cursor string) (p place, ok bool) {
	parts := strings.Split(cursor, ".")
	if len(parts) != 3 {
		return p, false
	}
	micro, err := strconv.ParseInt(parts[0], 10, 64)
	rank, err2 := strconv.ParseInt(parts[1], 10, 32)
	id, err3 := strconv.ParseInt(parts[2], 10, 64)
	ok = err == nil && err2 == nil && err3 == nil && micro > 0 && micro < lastMicro && rank >= 0
	return place{time.UnixMicro(micro).UTC(), int(rank), id}, ok
}

// begin and end are before and after all lines of the log.
var (
	begin     = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	end       = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMicro = end.UnixMicro()
)

// query asks a source for lines after a place, in the direction of the filter.
type query struct {
	Filter
	place place
	page  int32
	// actor and userID are the user by whom the log is filtered; nil means
	// all. userID is 0 if there is no such user; no sign-in is recorded for
	// user 0.
	actor  *string
	userID *int64
}

// beyond is the position from which the source of a rank is read. Of lines with
// the same time, those of a lower rank are older.
func (r query) beyond(rank int) (time.Time, int64) {
	switch {
	case rank < r.place.rank:
		return r.place.at, math.MaxInt64
	case rank > r.place.rank:
		return r.place.at, -1
	}
	return r.place.at, r.place.id
}

// asks reports whether lines of a kind are asked for.
func (r query) asks(kind string) bool { return len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind) }

// line is a line and its place.
type line struct {
	Item
	place place
}

// source reads the lines of some kinds from one table.
type source func(ctx context.Context, q *db.Queries, rank int, r query) ([]line, error)

// sources are the sources of the log. The index of a source is its rank, which
// cursors contain, so new sources go at the end.
var sources = []source{settingLines, signInLines, readLines, proposalLines}

const (
	maxText = 64
	maxUser = 200
	// exportRows is how many lines of a file are read at a time.
	exportRows = 2_000
)

// Service reads the log.
type Service struct {
	reads   db.Pool
	replica *db.Replica
}

// New makes the service. The log is read from the replica if it is not nil.
func New(pools db.Pools, replica *db.Replica) *Service {
	return &Service{reads: pools.Reads, replica: replica}
}

// List lists lines of the log for operators, the newest first.
func (s *Service) List(ctx context.Context, who caller.Caller, f Filter) (report.Page[Item], error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return report.Page[Item]{}, err
	}
	r, err := f.check(ctx)
	if err != nil {
		return report.Page[Item]{}, err
	}
	return s.page(ctx, r)
}

// check checks a filter and completes it: a time that is not set becomes the
// first or the last there is. Without a cursor the query begins at the newest
// line, backward at the oldest. page is one more than was asked for, to tell
// whether there is a next page.
func (f Filter) check(ctx context.Context) (query, error) {
	found := fault.Decoded(ctx)
	limit := f.Size(found)
	for _, kind := range f.Kinds {
		found.Check(slices.Contains(Kinds(), kind), "kinds", "must be some of %v", Kinds())
	}
	found.MaxLength("user", f.User, maxUser)
	found.MaxLength("subject", f.Subject, maxText)
	found.MaxLength("key", f.Key, maxText)
	found.Check(f.Key == "" || f.Subject != "", "key", "must come with a subject")
	found.Check(f.From.IsZero() || f.To.IsZero() || !f.To.Before(f.From), "to", "must not be before from")
	r := query{Filter: f, page: int32(limit) + 1}
	r.place = place{at: end}
	if f.Backward {
		r.place = place{at: begin}
	}
	if f.Cursor != "" {
		var ok bool
		r.place, ok = parsePlace(f.Cursor)
		found.Check(ok, "cursor", "is not a cursor of ours")
	}
	if f.From.IsZero() {
		r.From = begin
	}
	if f.To.IsZero() {
		r.To = end
	}
	return r, found.Err()
}

// page reads a page of the log. It reads a whole page from every source, and
// keeps the first lines of all.
func (s *Service) page(ctx context.Context, r query) (report.Page[Item], error) {
	lines, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]line, error) {
		r, err := r.ofUser(ctx, q)
		if err != nil {
			return nil, err
		}
		var all []line
		for rank, source := range sources {
			lines, err := source(ctx, q, rank, r)
			if err != nil {
				return nil, err
			}
			all = append(all, lines...)
		}
		all = r.first(all)
		return all, nameUsers(ctx, q, all)
	})
	if err != nil {
		return report.Page[Item]{}, fmt.Errorf("read the log: %w", err)
	}
	return r.cut(lines), nil
}

// ofUser finds the user by whom the log is filtered.
func (r query) ofUser(ctx context.Context, q *db.Queries) (query, error) {
	if r.User == "" {
		return r, nil
	}
	params := db.AuditUserParams{Named: r.User}
	if id, err := strconv.ParseInt(r.User, 10, 64); err == nil {
		params.ID = &id
	}
	user, err := q.AuditUser(ctx, params)
	if err != nil && !db.NoRows(err) {
		return r, err
	}
	actor := r.User
	if err == nil {
		actor = fmt.Sprintf("%s:%d", user.Kind, user.ID)
	}
	r.actor, r.userID = &actor, &user.ID
	return r, nil
}

// first are the first lines in reading order, one more than a page has.
func (r query) first(lines []line) []line {
	slices.SortFunc(lines, func(a, b line) int {
		if r.Backward {
			return a.place.compare(b.place)
		}
		return b.place.compare(a.place)
	})
	return lines[:min(len(lines), int(r.page))]
}

// cut makes a page of lines and sets the cursors of its neighbours.
func (r query) cut(lines []line) report.Page[Item] {
	var on, back *string
	kept := lines[:min(len(lines), int(r.page)-1)]
	if len(lines) > len(kept) {
		on = kept[len(kept)-1].place.cursor()
	}
	switch {
	case r.Cursor == "":
	case len(kept) > 0:
		back = kept[0].place.cursor()
	default: // the page is empty: go back so that the line at the cursor itself is included
		at := r.place
		at.id--
		if r.Backward {
			at.id += 2
		}
		back = at.cursor()
	}
	p := report.Page[Item]{Next: on, Previous: back, Items: db.Each(kept, func(l line) Item { return l.Item })}
	if r.Backward {
		slices.Reverse(p.Items)
		p.Next, p.Previous = back, on
	}
	return p
}

// Export writes the selected lines as CSV, the newest first, and ignores the
// filter's paging. The last line says how many rows there are: without it the
// file is incomplete.
func (s *Service) Export(
	ctx context.Context, who caller.Caller, f Filter, w io.Writer, zone *time.Location,
) error {
	if err := who.Need(caller.OperatorRead); err != nil {
		return err
	}
	f.Paging = report.Paging{}
	r, err := f.check(ctx)
	if err != nil {
		return err
	}
	r.page = exportRows + 1
	out := export.New(w, zone, "at", "kind", "actor", "login", "subject", "key", "subject_login", "what", "reason", "before", "after",
		"door", "outcome", "address", "agent")
	for {
		page, err := s.page(ctx, r)
		if err != nil {
			return err
		}
		for _, l := range page.Items {
			out.Row(l.At, l.Kind, l.Actor, l.Login, l.Subject, l.Key, l.SubjectLogin, l.What, l.Reason,
				string(l.Before), string(l.After), l.Door, l.Outcome, l.Address, l.Agent)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if page.Next == nil {
			return out.End()
		}
		r.Cursor = *page.Next
		r.place, _ = parsePlace(r.Cursor)
	}
}
