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
	// windowBack is how far back each look goes behind the last one. What is found twice is told once.
	windowBack = 2 * time.Minute
	// missedFor is how long an id of the history may be missing: no transaction is open for longer.
	missedFor  = 20 * time.Second
	missedMost = 10_000
	feedMost   = 2000
	// standingMost bounds what of a kind stands.
	standingMost = 10_000
)

// Feed finds out what happened. Of all processes one at a time does, by a lease.
type Feed struct {
	s      *Service
	q      *db.Queries
	holder uuid.UUID

	// mine tells that the lease holds, and somebody that a channel works at all.
	renewAt  time.Time
	mine     bool
	somebody bool
	// until is when the lease ends by this process's clock, in nanoseconds, for those who only ask.
	until atomic.Int64
	// history is the last id that was read, and missing are ids before it that were not committed then.
	history int64
	missing map[int64]time.Time
	// next is when a source is due, and seen when it was last looked at of which all was told; from is when that was of all of them
	// as this process began. What happened since is told, though nobody looked for a while.
	next, seen map[int]time.Time
	from       time.Time
	// told is what was found already, and when.
	told map[event]time.Time
	// read is how far pages of payments were read; traders and merchants are those of whom somebody can be told.
	read               map[Kind]reading
	traders, merchants []int64
	// stood is what has begun or is over, to be noted once it was told.
	stood map[Kind]db.NotifyStandingToldParams
}

// reading is until when was read, and when last from the beginning.
type reading struct{ until, whole time.Time }

// event is something to be told of.
type event struct {
	kind    Kind
	of      owner
	ownerID int64
	subject string
	path    string
	// figures fill the places of the kind's text, separated by tabs.
	figures string
}

// owner is whose it is.
type owner int

const (
	ofTrader owner = iota
	ofMerchant
	ofUser
	ofOperators
)

// NewFeed makes the feed. Its reads are the service's own pool's.
func NewFeed(s *Service) *Feed {
	return &Feed{
		s: s, q: s.q, holder: uuid.New(), missing: map[int64]time.Time{}, next: map[int]time.Time{}, seen: map[int]time.Time{},
		told: map[event]time.Time{}, read: map[Kind]reading{}, stood: map[Kind]db.NotifyStandingToldParams{},
	}
}

// Works tells whether this process is the one that finds out what happened.
func (f *Feed) Works() bool { return time.Now().UnixNano() < f.until.Load() }

// Find looks once for what happened, and has it told.
func (f *Feed) Find(ctx context.Context) error {
	if len(f.s.senders) == 0 {
		return nil
	}
	if err := f.lease(ctx); err != nil || !f.mine {
		return err
	}
	if !f.somebody { // nobody is told anything: it goes on from here once somebody is
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
	f.history, f.missing = history, missing // what was not noted is looked at again
	clear(f.read)
	clear(f.stood)
	return errors.Join(failed, err)
}

// back is how far back a source is looked at: to before it was last, but no further than what is still worth telling.
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

// readUntil is when the source was looked at that was looked at the longest ago.
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

// lease gets or prolongs the lease. A process that gets it anew begins where the one before has come to.
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

// opened reads on in the history of payments, and again what was missing in it. The history is only ever added to, so an old
// snapshot that somebody keeps open makes it no slower.
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
	now, cases := time.Now(), f.s.clock.Now().Add(-abouts[PaymentCase].Lasts) // older ones are not worth telling
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

// event is one of a kind, with the page that it leads to.
func (f *Feed) event(kind Kind, of owner, ownerID int64, subject, place string) event {
	about := abouts[kind]
	path := about.All
	if place != "" && about.One != "" {
		path = about.One + place
	}
	return event{kind: kind, of: of, ownerID: ownerID, subject: subject, path: path}
}

// fresh leaves out what was found before.
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

// tell has everybody told who may hear of it and wants to.
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
