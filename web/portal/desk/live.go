package desk

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"gateway.example/internal/session"
)

const (
	// lookEvery is how often open desks are checked, all of them at once.
	lookEvery = time.Second
	// beatEvery is how often something is sent on a line on which nothing
	// happens, so that no proxy closes it. The session is checked then,
	// too.
	beatEvery = 15 * time.Second
	// sendWithin is how long a browser may take to accept what it is sent.
	sendWithin = 10 * time.Second
	// maxLines limits the open desks of one trader in one process.
	maxLines = 50
)

// live tells open desks that something has changed; they then read what it is.
// Changes are found in the database, so it does not matter which process made
// them.
type live struct {
	// stamps are the stamps of payments, payouts, arrivals and messages.
	stamps   [4]func(context.Context, []int64) (map[int64]uint64, error)
	stopping <-chan struct{}

	mu      sync.Mutex
	desks   map[int64]*desk
	looking bool
}

// desk is the last known state of a trader's desk, and the lines to the
// browsers that show it.
type desk struct {
	stamp [4]uint64
	known bool
	lines map[chan struct{}]bool
}

func newLive(s Services) *live {
	return &live{
		stopping: s.Stopping, desks: map[int64]*desk{},
		stamps: [4]func(context.Context, []int64) (map[int64]uint64, error){
			s.Checkouts.DeskStamps, s.Payouts.DeskStamps, s.Payments.DeskStamps, s.Messages.DeskStamps,
		},
	}
}

// open opens a line to a trader's desk; each value on it says that something
// has changed. It returns nil if the trader has too many lines already.
func (l *live) open(traderID int64) (changed chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.desks[traderID]
	if d == nil {
		d = &desk{lines: map[chan struct{}]bool{}}
		l.desks[traderID] = d
	}
	if len(d.lines) >= maxLines {
		return nil, nil
	}
	changed = make(chan struct{}, 1)
	if d.known { // the other lines were told of changes since this page was made
		changed <- struct{}{}
	}
	d.lines[changed] = true
	if !l.looking {
		l.looking = true
		go l.look()
	}
	return changed, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if delete(d.lines, changed); len(d.lines) == 0 {
			delete(l.desks, traderID)
		}
	}
}

// look checks open desks until no desk is open.
func (l *live) look() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		traders := l.openDesks()
		if traders == nil {
			return
		}
		if err := l.lookOnce(traders); err != nil {
			slog.Warn("open desks", "error", err)
		}
		select {
		case <-tick.C:
		case <-l.stopping:
			return
		}
	}
}

// openDesks lists the traders with open desks; nil ends the checks.
func (l *live) openDesks() []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.desks) == 0 {
		l.looking = false
		return nil
	}
	return slices.Sorted(maps.Keys(l.desks))
}

// lookOnce reads the stamps of all open desks, with one query for each kind of
// stamp however many desks there are. If a query fails, no desk is told
// anything, and the next look finds the same changes. A desk that was closed
// meanwhile is skipped.
func (l *live) lookOnce(traders []int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	found := map[int64][len(l.stamps)]uint64{}
	for i, read := range l.stamps {
		stamps, err := read(ctx, traders)
		if err != nil {
			return err
		}
		for id, stamp := range stamps {
			of := found[id]
			of[i] = stamp
			found[id] = of
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range traders {
		if d := l.desks[id]; d != nil {
			d.seen(found[id])
		}
	}
	return nil
}

// seen tells every line of a desk if its stamp has changed. It also does so at
// the first check: what happened between the page and that check is already in
// the stamp, and would otherwise never be noticed.
func (d *desk) seen(stamp [4]uint64) {
	changed := !d.known || d.stamp != stamp
	d.stamp, d.known = stamp, true
	if !changed {
		return
	}
	for line := range d.lines {
		select {
		case line <- struct{}{}:
		default: // it was told and has not read that yet
		}
	}
}

// The events that a browser gets on its line.
const (
	eventOpen    = ": open\n\n"
	eventChanged = "event: changed\ndata: \n\n"
	eventBeat    = ": beat\n\n"
)

// stream sends a browser the events of its line until the browser goes, the
// session ends, or the program is about to end.
func (v *visit) stream() error {
	changed, done := v.live.open(v.Who.TraderID)
	if changed == nil {
		v.W.WriteHeader(http.StatusServiceUnavailable)
		return nil
	}
	defer done()
	h := v.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for event := eventOpen; event != ""; {
		if err := v.push(event); err != nil {
			return nil // the browser has gone
		}
		select {
		case <-changed:
			event = eventChanged
		case <-beat.C:
			event = v.beat()
		case <-v.Stopping:
			event = ""
		case <-v.Ctx().Done():
			event = ""
		}
	}
	return nil
}

// beat keeps the line open. If the session has ended, it lets the page read
// again; the answer then leads to the sign-in.
func (v *visit) beat() string {
	cookie, err := v.R.Cookie(v.SessionCookie())
	if err == nil {
		var found session.Session
		found, err = v.Sessions.Peek(v.Ctx(), cookie.Value)
		// An operator who looked as this trader may no longer do so.
		if err == nil && found.State == session.Complete && found.Caller.ID == v.Who.ID {
			return eventBeat
		}
	}
	_ = v.push(eventChanged)
	return ""
}

func (v *visit) push(event string) error {
	control := http.NewResponseController(v.W)
	if err := control.SetWriteDeadline(time.Now().Add(sendWithin)); err != nil {
		return err
	}
	if _, err := io.WriteString(v.W, event); err != nil {
		return err
	}
	return control.Flush()
}
