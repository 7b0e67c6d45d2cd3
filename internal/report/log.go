package report

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
)

// The kinds of lines of the log.
const (
	// LogSetting is a change of what operators, traders and merchants set.
	LogSetting = "setting"
	// LogViewAs is that an operator began or ended to look as another user.
	LogViewAs = "view_as"
	// LogSignIn is a sign-in or a second factor that was right, LogFailed one that was wrong.
	LogSignIn = "sign_in"
	LogFailed = "sign_in_failed"
	// LogRead is that an operator saw what is hidden until somebody asks for it.
	LogRead = "read"
	// LogProposal is an action that takes a second operator, LogDecision what that one decided.
	LogProposal = "proposal"
	LogDecision = "decision"
)

// LogKinds are the kinds of lines that the log may be kept to.
func LogKinds() []string {
	return []string{LogSetting, LogViewAs, LogSignIn, LogFailed, LogRead, LogProposal, LogDecision}
}

// LogFilter keeps to some lines of the log. Its zero value is everything.
type LogFilter struct {
	Paging
	// Kinds keeps to these; none is any.
	Kinds []string
	// User keeps to what a user did, by login or id, or a program by its name, such as application.
	User string
	// Subject and Key keep to what was changed, such as cashbox and 12.
	Subject, Key string
	// From and To bound the time: from then on, and before then.
	From, To time.Time
}

// LogItem is a line of the log. What does not belong to its kind is empty.
type LogItem struct {
	// ID is its own among the lines of its kind; of a proposal and a decision it is the proposal's.
	ID   int64
	At   time.Time
	Kind string
	// Actor is who did it, such as operator:1, and Login the user's, where it is one.
	Actor, Login string
	// Subject and Key are what was changed; SubjectLogin is the login of a user who was.
	Subject, Key, SubjectLogin string
	// Before and After are JSON, without secrets and without whole requisites. Before is nil for
	// something new.
	Before, After []byte
	// What is the part that was read, such as file, or the action that was proposed. Reason is why, in
	// the words of who changed, proposed or decided it.
	What, Reason string
	// Door, Address and Agent are a sign-in's. Outcome is what came of it, or of a proposal.
	Door, Outcome, Address, Agent string
}

// logPlace is a place between two lines of the log, which go by time, then by source and id.
type logPlace struct {
	at   time.Time
	rank int
	id   int64
}

func (p logPlace) compare(q logPlace) int {
	return cmp.Or(p.at.Compare(q.at), cmp.Compare(p.rank, q.rank), cmp.Compare(p.id, q.id))
}

func (p logPlace) cursor() *string {
	text := fmt.Sprintf("%d.%d.%d", p.at.UnixMicro(), p.rank, p.id)
	return &text
}

// parsePlace reads a cursor.
func parsePlace(cursor string) (p logPlace, ok bool) {
	parts := strings.Split(cursor, ".")
	if len(parts) != 3 {
		return p, false
	}
	micro, err := strconv.ParseInt(parts[0], 10, 64)
	rank, err2 := strconv.ParseInt(parts[1], 10, 32)
	id, err3 := strconv.ParseInt(parts[2], 10, 64)
	ok = err == nil && err2 == nil && err3 == nil && micro > 0 && micro < lastMicro && rank >= 0
	return logPlace{time.UnixMicro(micro).UTC(), int(rank), id}, ok
}

// The log begins and ends within these.
var (
	logBegin  = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	logEnd    = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMicro = logEnd.UnixMicro()
)

// logRead is what is asked of a source: lines beyond a place, in the direction of the filter.
type logRead struct {
	LogFilter
	place logPlace
	page  int32
	// actor and userID are the user's that the log is kept to, nil for any. userID is 0 where there
	// is no such user, of whom no sign-in is kept.
	actor  *string
	userID *int64
}

// beyond is the place as a source of a rank has it. Of lines of the same time, those of a lower rank
// are older.
func (r logRead) beyond(rank int) (time.Time, int64) {
	switch {
	case rank < r.place.rank:
		return r.place.at, math.MaxInt64
	case rank > r.place.rank:
		return r.place.at, -1
	}
	return r.place.at, r.place.id
}

// asks tells whether lines of a kind are asked for.
func (r logRead) asks(kind string) bool { return len(r.Kinds) == 0 || slices.Contains(r.Kinds, kind) }

// logLine is a line and its place.
type logLine struct {
	LogItem
	place logPlace
}

// logSource reads the lines of some kinds from one table.
type logSource func(ctx context.Context, q *db.Queries, rank int, r logRead) ([]logLine, error)

// logSources are what the log is made of. The place of a source here is its rank: add others at the
// end.
var logSources = []logSource{settingLines, signInLines, readLines, proposalLines}

// Log lists what was done and set, and who signed in, for operators, the newest first.
func (s *Service) Log(ctx context.Context, who caller.Caller, f LogFilter) (Page[LogItem], error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Page[LogItem]{}, err
	}
	r, err := f.check(ctx)
	if err != nil {
		return Page[LogItem]{}, err
	}
	return s.logPage(ctx, r)
}

func (f LogFilter) check(ctx context.Context) (logRead, error) {
	found := fault.Decoded(ctx)
	limit := cmp.Or(f.Limit, limitDefault)
	found.Check(limit >= 1 && limit <= limitMost, "limit", "must be between 1 and %d", limitMost)
	for _, kind := range f.Kinds {
		found.Check(slices.Contains(LogKinds(), kind), "kinds", "must be some of %v", LogKinds())
	}
	found.MaxLength("user", f.User, maxSearch)
	found.MaxLength("subject", f.Subject, maxFilter)
	found.MaxLength("key", f.Key, maxFilter)
	found.Check(f.Key == "" || f.Subject != "", "key", "must come with a subject")
	found.Check(f.From.IsZero() || f.To.IsZero() || !f.To.Before(f.From), "to", "must not be before from")
	r := logRead{LogFilter: f, page: int32(limit) + 1}
	r.place = logPlace{at: logEnd}
	if f.Backward {
		r.place = logPlace{at: logBegin}
	}
	if f.Cursor != "" {
		var ok bool
		r.place, ok = parsePlace(f.Cursor)
		found.Check(ok, "cursor", "is not a cursor of ours")
	}
	if f.From.IsZero() {
		r.From = logBegin
	}
	if f.To.IsZero() {
		r.To = logEnd
	}
	return r, found.Err()
}

// logPage reads a page of the log: as much of every source, of which the first lines are kept.
func (s *Service) logPage(ctx context.Context, r logRead) (Page[LogItem], error) {
	lines, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]logLine, error) {
		r, err := r.ofUser(ctx, q)
		if err != nil {
			return nil, err
		}
		var all []logLine
		for rank, source := range logSources {
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
		return Page[LogItem]{}, fmt.Errorf("read the log: %w", err)
	}
	return r.cut(lines), nil
}

// ofUser finds who the log is kept to.
func (r logRead) ofUser(ctx context.Context, q *db.Queries) (logRead, error) {
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

// first are the lines that come first as they are read, one more than a page has.
func (r logRead) first(lines []logLine) []logLine {
	slices.SortFunc(lines, func(a, b logLine) int {
		if r.Backward {
			return a.place.compare(b.place)
		}
		return b.place.compare(a.place)
	})
	return lines[:min(len(lines), int(r.page))]
}

// cut makes a page of lines and names its neighbours.
func (r logRead) cut(lines []logLine) Page[LogItem] {
	var on, back *string
	kept := lines[:min(len(lines), int(r.page)-1)]
	if len(lines) > len(kept) {
		on = kept[len(kept)-1].place.cursor()
	}
	switch {
	case r.Cursor == "":
	case len(kept) > 0:
		back = kept[0].place.cursor()
	default: // the line at the cursor is the nearest there is
		at := r.place
		at.id--
		if r.Backward {
			at.id += 2
		}
		back = at.cursor()
	}
	p := Page[LogItem]{Next: on, Previous: back}
	for _, line := range kept {
		p.Items = append(p.Items, line.LogItem)
	}
	if r.Backward {
		slices.Reverse(p.Items)
		p.Next, p.Previous = back, on
	}
	return p
}

// ExportLog writes the lines of a filter as CSV, the newest first, whatever its paging says. The last
// line says how many rows there are: without it the file is not whole.
func (s *Service) ExportLog(
	ctx context.Context, who caller.Caller, f LogFilter, w io.Writer, zone *time.Location,
) error {
	if err := who.Need(caller.OperatorRead); err != nil {
		return err
	}
	f.Paging = Paging{}
	r, err := f.check(ctx)
	if err != nil {
		return err
	}
	r.page = exportPage + 1
	out := export.New(w, zone, "at", "kind", "actor", "login", "subject", "key", "subject_login", "what", "reason", "before", "after",
		"door", "outcome", "address", "agent")
	for {
		page, err := s.logPage(ctx, r)
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
