package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

const (
	lookEvery = 200 * time.Millisecond
	// placesAll limits how many lines of one channel a process works on at
	// a time, and placesSlow how many of those may be lines whose last
	// attempt failed. So there is always a place for a line that works, and
	// trouble with one channel does not delay the others.
	placesAll  = 40
	placesSlow = 20
	// leaseLasts is longer than a visit, which sends no new message after
	// visitLasts.
	leaseLasts  = time.Minute
	visitLasts  = 30 * time.Second
	sendWithin  = 15 * time.Second
	leaveWithin = 10 * time.Second
	// apart is the pause between two messages of one kind. What happens in
	// the pause becomes one message.
	apart = time.Minute
)

// delays are the pauses between one attempt and the next, each ± 10%.
var delays = [...]time.Duration{5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}

// Message is a message to a user.
type Message struct {
	Kind Kind
	// Text says what happened, and Link is the text of the link.
	Text, Link string
	// URL is the page that the message is about, and SettingsURL the page
	// of the notification settings; both may be "".
	URL, SettingsURL string
	// Path is the path of the page.
	Path     string
	Security bool
	// Open is how many payments of the trader are open, which a push shows;
	// nil for other users and channels.
	Open *int64
}

// Sender sends messages by a channel.
type Sender interface {
	Channel() Channel
	Send(ctx context.Context, address string, m Message) error
}

// Refusal is the error of an attempt, with the reason why the message was not
// accepted.
type Refusal struct {
	Why Problem
	// Gone says that no later message will be accepted either. After is how
	// long to wait at least.
	Gone  bool
	After time.Duration
}

func (r *Refusal) Error() string { return string(r.Why) }

// Deliverer sends the waiting notices. Several processes share the lines by
// leases. None of them holds a connection to the database while it waits for an
// answer.
type Deliverer struct {
	s      *Service
	q      *db.Queries
	pool   db.Pool
	holder uuid.UUID
	sent   *prometheus.CounterVec

	mu    sync.Mutex
	taken map[Channel]int
	slow  map[Channel]int
	// more says that the last look left something due because there was no
	// free place, and freed signals that there are free places again.
	more  bool
	freed chan struct{}
}

func NewDeliverer(s *Service, pool db.Pool, metrics prometheus.Registerer) *Deliverer {
	d := &Deliverer{
		s: s, q: db.New(pool), pool: pool, holder: uuid.New(), taken: map[Channel]int{}, slow: map[Channel]int{}, freed: make(chan struct{}, 1),
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "gateway_notify_messages_total",
			Help: "Tries to tell users something, by channel and by what became of them.",
		}, []string{"channel", "outcome"}),
	}
	for _, c := range s.Channels() {
		for _, outcome := range []string{outcomeSent, outcomeAgain, outcomeGivenUp} {
			d.sent.WithLabelValues(string(c), outcome)
		}
	}
	metrics.MustRegister(d.sent)
	return d
}

// The outcomes of an attempt.
const (
	outcomeSent    = "sent"
	outcomeAgain   = "again"
	outcomeGivenUp = "given_up"
)

// Run sends until ctx ends, and returns when the visits in progress have ended.
func (d *Deliverer) Run(ctx context.Context) {
	if len(d.s.senders) == 0 {
		return
	}
	var running sync.WaitGroup
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		if err := d.Look(ctx, &running); err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "notices could not be looked for", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-look.C:
		case <-d.freed:
		}
	}
	running.Wait()
}

// Look leases lines in which something is due, and begins a visit to each. The
// visits are added to running.
func (d *Deliverer) Look(ctx context.Context, running *sync.WaitGroup) error {
	var failed error
	more := false
	for _, channel := range d.s.Channels() {
		for _, slow := range []bool{false, true} {
			most := d.free(channel, slow)
			if most <= 0 {
				more = more || !slow
				continue
			}
			rows, err := d.q.NotifyLease(ctx, db.NotifyLeaseParams{
				Channel: string(channel), Slow: slow, Most: int32(most), Holder: d.holder, Seconds: leaseLasts.Seconds(),
			})
			failed = errors.Join(failed, err)
			more = more || len(rows) == most
			d.take(channel, slow, len(rows))
			for _, row := range rows {
				running.Go(func() {
					defer d.take(channel, slow, -1)
					d.visit(context.WithoutCancel(ctx), row)
				})
			}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.more = more
	return failed
}

func (d *Deliverer) free(channel Channel, slow bool) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := placesAll - d.taken[channel]
	if slow {
		return min(free, placesSlow-d.slow[channel])
	}
	return free
}

// take counts n places of a channel as taken, or as free again if n is
// negative. If there may be more to deliver, it then wakes Run once half the
// places are free. It never waits for Run.
func (d *Deliverer) take(channel Channel, slow bool, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken[channel] += n
	if slow {
		d.slow[channel] += n
	}
	if n < 0 && d.more && d.taken[channel] <= placesAll/2 { // not for each place, because each look costs a statement
		select {
		case d.freed <- struct{}{}:
		default:
		}
	}
}

// visit sends what is due in a line, one message for each kind, until an
// attempt fails.
func (d *Deliverer) visit(ctx context.Context, line db.NotifyLeaseRow) {
	began := time.Now()
	failed := false
	waiting, err := d.waiting(ctx, line.ID)
	for _, kind := range waiting {
		if err != nil || failed || time.Since(began) > visitLasts {
			break
		}
		if kind.Seconds <= 0 && kind.Due > 0 {
			failed, err = d.send(ctx, line, kind)
		}
	}
	if err == nil {
		waiting, err = d.waiting(ctx, line.ID)
	}
	seconds := -1.0
	for _, kind := range waiting {
		if after := max(kind.Seconds, 0); seconds < 0 || after < seconds {
			seconds = after
		}
	}
	if err != nil {
		slog.ErrorContext(ctx, "notices could not be sent", "channel", line.ID, "error", err)
		return // the lease ends by itself
	}
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
	defer cancel()
	err = d.q.NotifyLeave(ctx, db.NotifyLeaveParams{ID: line.ID, Holder: d.holder, Slow: failed, Seconds: seconds})
	if err != nil {
		slog.ErrorContext(ctx, "the lease of a line of notices could not be ended", "channel", line.ID, "error", err)
	}
}

func (d *Deliverer) waiting(ctx context.Context, id int64) ([]db.NoticeWaitingRow, error) {
	return d.q.NoticeWaiting(ctx, db.NoticeWaitingParams{ChannelID: id, Apart: apart.Seconds()})
}

// send sends one message and stores the outcome.
func (d *Deliverer) send(ctx context.Context, line db.NotifyLeaseRow, kind db.NoticeWaitingRow) (failed bool, err error) {
	about, known := AboutOf(Kind(kind.Kind))
	if !known { // a newer version, which is being rolled out, has stored it
		about.Lasts = today
	}
	// Who is invited again may have lost the phone that is told here.
	off := !line.Enabled && about.Kind != AccessChanged || !line.HasPassword && about.Needs != ""
	if off || d.s.clock.Now().Sub(kind.Newest) > about.Lasts+apart { // too late to be of use, or out
		return false, d.keep(ctx, line, kind, outcomeGivenUp, &Refusal{Why: tooLate})
	}
	if !known {
		return false, d.q.NoticeAgain(ctx, db.NoticeAgainParams{
			Ids: kind.DueIds, Attempts: kind.Attempts, Seconds: delays[0].Seconds(),
		})
	}
	if !about.hears(caller.Caller{Kind: caller.Kind(line.UserKind), ID: line.UserID, Role: caller.Role(line.Role)}) {
		return false, d.keep(ctx, line, kind, outcomeGivenUp, &Refusal{Why: roleHearsNot})
	}
	quiet := quietFor(db.NotifyAudienceRow{
		Zone: line.Zone, QuietFrom: line.QuietFrom, QuietUntil: line.QuietUntil, MutedUntil: line.MutedUntil,
	}, d.s.clock.Now())
	if quiet > 0 && !about.Security { // it began while this waited for another try, or for its minute
		return false, d.q.NoticeAgain(ctx, db.NoticeAgainParams{Ids: kind.DueIds, Seconds: quiet.Seconds()})
	}
	address, err := d.s.vault.Open(line.Address, place(line.ID))
	if err != nil {
		return true, d.keep(ctx, line, kind, outcomeGivenUp, &Refusal{Why: addressUnreadable})
	}
	message := d.s.message(about, kind, line.Language)
	if line.TraderID != nil && Channel(line.Channel) == Push {
		desk, err := d.q.NotifyDesk(ctx, db.NotifyDeskParams{TraderID: *line.TraderID, Now: d.s.clock.Now()})
		if err != nil {
			return false, fmt.Errorf("read a desk: %w", err)
		}
		message.Open = &desk.Open
	}
	sending, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	refused := d.s.senders[Channel(line.Channel)].Send(sending, string(address), message)
	outcome := outcomeSent
	var r *Refusal
	switch {
	case refused == nil:
	case !errors.As(refused, &r):
		r = &Refusal{Why: notSent}
		fallthrough
	default:
		if outcome = outcomeAgain; r.Gone || int(kind.Attempts) >= len(delays) {
			outcome = outcomeGivenUp
		}
	}
	return refused != nil, d.keep(ctx, line, kind, outcome, r)
}

// message is the message about the notices of a kind, in the user's language.
func (s *Service) message(about About, kind db.NoticeWaitingRow, language string) Message {
	m := Message{
		Kind: about.Kind, Text: about.In(language).Of(int(kind.Due), kind.Figures), Link: say(language, "Open it", "Открыть"), Path: kind.Path,
		Security: about.Security,
	}
	if kind.Due > 1 {
		m.Path = about.All
	}
	if base := strings.TrimSuffix(s.portalURL, "/"); base != "" {
		m.URL = base + m.Path
		m.SettingsURL = base + "/account/notifications"
	}
	return m
}

// keep stores the outcome of an attempt and, in the same transaction, schedules
// the next attempt or deletes the notices.
func (d *Deliverer) keep(
	ctx context.Context, line db.NotifyLeaseRow, kind db.NoticeWaitingRow, outcome string, refused *Refusal,
) error {
	problem, after := "", time.Duration(0)
	if refused != nil {
		problem, after = string(refused.Why), refused.After
	}
	queries := []db.Query{db.Do((*db.Queries).NotifyMessageInsert, db.NotifyMessageInsertParams{
		UserID: line.UserID, Channel: line.Channel, Label: line.Label, Kind: kind.Kind, Count: max(kind.Due, 1),
		At: d.s.clock.Now(), Outcome: outcome, Problem: problem,
	})}
	if outcome == outcomeAgain {
		delay := delays[min(int(kind.Attempts), len(delays)-1)]
		jitter := 0.9 + 0.2*rand.Float64()
		queries = append(queries, db.Do((*db.Queries).NoticeAgain, db.NoticeAgainParams{
			Ids: kind.DueIds, Attempts: kind.Attempts + 1,
			Seconds: max(time.Duration(float64(delay)*jitter), after).Seconds(),
		}))
	} else {
		queries = append(queries, db.Do((*db.Queries).NoticeDone, kind.DueIds))
	}
	if refused != nil && refused.Gone {
		now := d.s.clock.Now()
		queries = append(queries, db.Do((*db.Queries).NotifyEnd, db.NotifyEndParams{ID: line.ID, Now: &now}))
	}
	if refused != nil && refused.Gone || kind.Kind == string(ChannelRemoved) && outcome != outcomeAgain {
		queries = append(queries, db.Do((*db.Queries).NotifyChannelDrop, line.ID))
	}
	if err := db.Write(ctx, d.pool, queries...); err != nil {
		return err
	}
	d.sent.WithLabelValues(line.Channel, outcome).Inc()
	return nil
}
