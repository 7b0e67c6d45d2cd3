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
	// lookEvery is how often open desks are asked about, all of them at once.
	lookEvery = time.Second
	// beatEvery is how often a line on which nothing happens is used, so that nobody between closes
	// it; the session is looked at again then.
	beatEvery = 15 * time.Second
	// sendWithin is how long a browser may take to accept what it is sent.
	sendWithin = 10 * time.Second
	// maxLines bounds the open desks of one trader on one process.
	maxLines = 50
)

// live tells open desks that something has changed; what it is they then ask for. A desk is looked at
// in the database, so that it does not matter which process changed it.
type live struct {
	// stamps are of payments, of payouts, of money that came, and of messages.
	stamps   [4]func(context.Context, []int64) (map[int64]uint64, error)
	stopping <-chan struct{}

	mu      sync.Mutex
	desks   map[int64]*desk
	looking bool
}

// desk is a trader's, as it was last seen, and the lines to those who have it open.
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

// open opens a line to a trader's desk. What comes by it says that there is something new. There is
// none where the trader has too many already.
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
	if d.known { // the other lines have been told of what happened since this one's page was made
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

// look goes on until nobody has a desk open.
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

// openDesks lists whose desks are open; nil ends the looking.
func (l *live) openDesks() []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.desks) == 0 {
		l.looking = false
		return nil
	}
	return slices.Sorted(maps.Keys(l.desks))
}

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

// seen tells every line of a desk if it is not as it was. So it does at the first look: what happened
// between the page and that look is in the stamp already, and would never be heard of.
func (d *desk) seen(stamp [4]uint64) {
	changed := !d.known || d.stamp != stamp
	d.stamp, d.known = stamp, true
	if !changed {
		return
	}
	for line := range d.lines {
		select {
		case line <- struct{}{}:
		default: // it has been told and has not got to it yet
		}
	}
}

// What a browser is sent by its line.
const (
	eventOpen    = ": open\n\n"
	eventChanged = "event: changed\ndata: \n\n"
	eventBeat    = ": beat\n\n"
)

// stream sends a browser what comes by a line until the browser goes, the session ends, or the program
// is about to.
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

// beat keeps the line open, or has the page ask once more if the session has ended: the answer then
// leads to the sign-in.
func (v *visit) beat() string {
	cookie, err := v.R.Cookie(v.SessionCookie())
	if err == nil {
		var found session.Session
		found, err = v.Sessions.Peek(v.Ctx(), cookie.Value)
		// An operator who looked as this trader may be themselves by now.
		if err == nil && found.State == session.Whole && found.Caller.ID == v.Who.ID {
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
