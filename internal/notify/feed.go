package notify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/db"
)

const (
	feedLease = 10 * time.Second
	feedRenew = 3 * time.Second
	// windowBack is how far each look reaches back before the previous one.
	// An event that is found twice is told once.
	windowBack = 2 * time.Minute
	// missedFor is how long an id that is missing in the history is looked
	// for. No transaction is open for longer.
	missedFor  = 20 * time.Second
	missedMost = 10_000
	feedMost   = 2000
	// standingMost limits how many conditions of a kind are noted.
	standingMost = 10_000
)

// Feed finds the events that users are to be told about. Only one process does
// so at a time, which holds a lease.
type Feed struct {
	s      *Service
	q      *db.Queries
	holder uuid.UUID

	// mine says that this process holds the lease, and somebody that at
	// least one user has a working channel.
	renewAt  time.Time
	mine     bool
	somebody bool
	// until is when the lease ends by this process's clock, in nanoseconds,
	// so that Works can be called from anywhere.
	until atomic.Int64
	// history is the last id that was read. missing are lower ids that were
	// not committed yet, with the time when that was seen.
	history int64
	missing map[int64]time.Time
	// next is when each source is due, and seen is when a source was last
	// looked at and all its events were told. from is the same for sources
	// that this process has not looked at yet. Events since then are told
	// even if no process looked for a while.
	next, seen map[int]time.Time
	from       time.Time
	// told are the events that were told recently, and when.
	told map[event]time.Time
	// read is how far the pages of payments were read. traders and
	// merchants are those with a user who can be told something.
	read               map[Kind]reading
	traders, merchants []int64
	// stood are the conditions that have begun or ended and are to be
	// stored as told.
	stood map[Kind]db.NotifyStandingToldParams
}

// reading says until when payments were read, and when they were last read from
// the beginning.
type reading struct{ until, whole time.Time }

// event is something to tell users about.
type event struct {
	kind    Kind
	of      owner
	ownerID int64
	subject string
	path    string
	// figures are inserted into the kind's text; they are separated by
	// tabs.
	figures string
}

// owner says whose event it is.
type owner int

const (
	ofTrader owner = iota
	ofMerchant
	ofUser
	ofOperators
)

// NewFeed makes the feed. It reads through the service's own pool.
func NewFeed(s *Service) *Feed {
	return &Feed{
		s: s, q: s.q, holder: uuid.New(), missing: map[int64]time.Time{}, next: map[int]time.Time{}, seen: map[int]time.Time{},
		told: map[event]time.Time{}, read: map[Kind]reading{}, stood: map[Kind]db.NotifyStandingToldParams{},
	}
}

// Works reports whether this process holds the lease and finds the events.
func (f *Feed) Works() bool { return time.Now().UnixNano() < f.until.Load() }

// Find looks once for new events, and queues the notices about them. If
// queueing fails, the same events are found again by the next call. It does
// nothing unless this process holds the lease.
func (f *Feed) Find(ctx context.Context) error {
	if len(f.s.senders) == 0 {
		return nil
	}
	if err := f.lease(ctx); err != nil || !f.mine {
		return err
	}
	if !f.somebody { // nobody can be told anything, so it continues from here once somebody can
		last, err := f.q.NotifyHistoryLast(ctx)
		f.history, f.from = last, time.Now()
		clear(f.seen)
		return err
	}
	history, missing := f.history, maps.Clone(f.missing)
	events, failed := f.opened(ctx)
	looked := map[int]time.Time{}
	for i, source := range sources {
		now := time.Now()
		if now.Before(f.next[i]) {
			continue
		}
		f.next[i] = now.Add(source.every)
		here := f.s.clock.Now()
		if source.real {
			here = now
		}
		found, err := source.find(ctx, f, here, here.Add(-f.back(i, now)))
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("look for %s: %w", source.kind, err))
			continue
		}
		looked[i] = now
		events = append(events, found...)
	}
	err := f.tell(ctx, events)
	if err == nil {
		maps.Copy(f.seen, looked)
		return errors.Join(failed, f.standingTold(ctx))
	}
	f.history, f.missing = history, missing // events that were not stored are looked for again
	clear(f.read)
	clear(f.stood)
	return errors.Join(failed, err)
}

// back is how far back a source is looked at: to before its previous look, but
// no further than its events are worth telling.
func (f *Feed) back(i int, now time.Time) time.Duration {
	seen, there := f.seen[i]
	if !there {
		seen = f.from
	}
	lasts := abouts[sources[i].kind].Lasts
	if lasts == 0 {
		lasts = today
	}
	return windowBack + min(max(now.Sub(seen), 0), lasts)
}

// readUntil is the time of the oldest last look among all sources.
func (f *Feed) readUntil() *time.Time {
	if !f.mine {
		return nil
	}
	until := time.Now()
	for i := range sources {
		seen, there := f.seen[i]
		if !there {
			seen = f.from
		}
		if seen.Before(until) {
			until = seen
		}
	}
	return &until
}

// lease gets or extends the lease. A process that gets it newly continues where
// the previous holder stopped.
func (f *Feed) lease(ctx context.Context) error {
	if time.Now().Before(f.renewAt) {
		return nil
	}
	from := f.history
	for id := range f.missing {
		from = min(from, id-1)
	}
	had, asked := f.mine, time.Now()
	row, err := f.q.NotifyFeedLease(ctx, db.NotifyFeedLeaseParams{
		Holder: f.holder, Seconds: feedLease.Seconds(), HistoryID: from, ReadUntil: f.readUntil(),
	})
	f.renewAt = time.Now().Add(feedRenew)
	if f.mine = err == nil; f.mine {
		f.until.Store(asked.Add(feedLease).UnixNano())
	} else {
		f.until.Store(0)
	}
	if db.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("lease the feed of notices: %w", err)
	}
	if f.somebody = row.Somebody; !had {
		f.history, f.from = row.HistoryID, time.Now()
		if row.ReadUntil != nil {
			f.from = *row.ReadUntil
		}
		clear(f.missing)
		clear(f.read)
		clear(f.seen)
	}
	return f.owners(ctx)
}

// opened reads the new part of the payments' history, and the ids that were
// missing in it before. Since the history is only appended to, a transaction
// that keeps an old snapshot open does not slow this down.
func (f *Feed) opened(ctx context.Context) ([]event, error) {
	var events []event
	add := func(row db.NotifyOpenedRow) {
		delete(f.missing, row.ID)
		payment := fmt.Sprint(row.PaymentID)
		if row.Opened {
			events = append(events, f.event(PaymentOpened, ofTrader, row.TraderID, payment, payment))
		}
		if row.OfCase {
			events = append(events, f.event(PaymentCase, ofTrader, row.TraderID, fmt.Sprint(payment, "@", row.ID), payment))
		}
	}
	now, cases := time.Now(), f.s.clock.Now().Add(-abouts[PaymentCase].Lasts) // older cases are not worth telling
	if len(f.missing) > 0 {
		ids := make([]int64, 0, len(f.missing))
		for id, since := range f.missing {
			if now.Sub(since) > missedFor {
				delete(f.missing, id)
				continue
			}
			ids = append(ids, id)
		}
		rows, err := f.q.NotifyMissing(ctx, db.NotifyMissingParams{CasesSince: cases, Ids: ids})
		if err != nil {
			return nil, fmt.Errorf("read the history of payments: %w", err)
		}
		for _, row := range rows {
			add(db.NotifyOpenedRow(row))
		}
	}
	for {
		rows, err := f.q.NotifyOpened(ctx, db.NotifyOpenedParams{CasesSince: cases, After: f.history, Most: feedMost})
		if err != nil {
			return events, fmt.Errorf("read the history of payments: %w", err)
		}
		for _, row := range rows {
			for id := f.history + 1; id < row.ID && len(f.missing) < missedMost; id++ {
				f.missing[id] = now
			}
			f.history = row.ID
			add(row)
		}
		if len(rows) < feedMost {
			return events, nil
		}
	}
}

// event makes an event of a kind, with the page that it leads to.
func (f *Feed) event(kind Kind, of owner, ownerID int64, subject, place string) event {
	about := abouts[kind]
	path := about.All
	if place != "" && about.One != "" {
		path = about.One + place
	}
	return event{kind: kind, of: of, ownerID: ownerID, subject: subject, path: path}
}

// fresh removes the events that were told already.
func (f *Feed) fresh(events []event) []event {
	now := time.Now()
	for e, at := range f.told {
		if now.Sub(at) > 2*windowBack {
			delete(f.told, e)
		}
	}
	var list []event
	for _, e := range events {
		if _, known := f.told[e]; !known {
			list = append(list, e)
		}
	}
	return list
}

// tell queues notices for the users who may know about the events and want to.
func (f *Feed) tell(ctx context.Context, events []event) error {
	if events = f.fresh(events); len(events) == 0 {
		return nil
	}
	if err := f.s.tell(ctx, events); err != nil {
		return err
	}
	for _, e := range events {
		f.told[e] = time.Now()
	}
	return nil
}
