package limit

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/fault"
)

const (
	// lineMost is how many calls of one caller may wait, and lineLeast how
	// many may wait even under overload. linesMost and linesLeast are the
	// same for all callers together.
	lineMost, lineLeast   = 256, 4
	linesMost, linesLeast = 4096, 64
	// turnWait is how long a call may wait.
	turnWait = 2 * time.Second
	// waitAim is how long the last call of a line should wait. A call that
	// cannot be served soon is better refused at once.
	waitAim = 250 * time.Millisecond
)

// Turns limits how many calls run at the same time. While places are free every
// call gets one. Otherwise each caller has a line of waiting calls, and free
// places go to the lines in turn. So a caller with two hundred calls waits for
// its own calls, and other callers do not.
type Turns struct {
	mu sync.Mutex
	// free is how many places are free.
	free, room int
	// inside counts the running calls of each caller, and lines holds the
	// waiting ones.
	inside map[string]int
	lines  map[string]*list.List
	// order is the order in which the lines get places.
	order   list.List
	waiting int
	// apart is the moving average of the time between two turns while calls
	// wait: the smaller it is, the more load the service can take. given is
	// when the last turn was given, or zero if no call was waiting after
	// it.
	apart time.Duration
	given time.Time
}

// averaged is the number of turns over which the average moves.
const averaged = 16

// NewTurns makes turns with room for so many calls. Its metrics are the running
// calls, the waiting ones, and the largest share of places that one caller has.
func NewTurns(room int, metrics prometheus.Registerer) *Turns {
	t := &Turns{free: room, room: room, inside: map[string]int{}, lines: map[string]*list.List{}}
	for name, gauge := range map[string]struct {
		help  string
		value func() float64
	}{
		"gateway_calls_inside":        {"Calls being answered.", func() float64 { return float64(t.room - t.free) }},
		"gateway_calls_waiting":       {"Calls that wait for their turn.", func() float64 { return float64(t.waiting) }},
		"gateway_calls_largest_share": {"Part of the room for calls that the caller with the most of them takes up, 0 to 1.", t.largestShare},
	} {
		metrics.MustRegister(
			prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: gauge.help}, func() float64 {
				t.mu.Lock()
				defer t.mu.Unlock()
				return gauge.value()
			}),
		)
	}
	return t
}

func (t *Turns) largestShare() float64 {
	most := 0
	for _, n := range t.inside {
		most = max(most, n)
	}
	return float64(most) / float64(t.room)
}

// Enter waits for a place and returns the function that frees it. If too many
// calls are waiting, or the wait is too long, it returns fault.ErrBusy; if ctx
// ends first, the error of ctx.
//
//rule:who waits when too many calls come at once
func (t *Turns) Enter(ctx context.Context, who string) (leave func(), err error) {
	turn, err := t.enqueue(who)
	if err != nil {
		return nil, err
	}
	if turn == nil {
		return func() { t.leave(who) }, nil
	}
	patience := time.NewTimer(turnWait)
	defer patience.Stop()
	select {
	case <-turn.come:
		return func() { t.leave(who) }, nil
	case <-patience.C:
		err = fault.ErrBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	if t.giveUp(who, turn) {
		return nil, err
	}
	// The place came at the same instant.
	return func() { t.leave(who) }, nil
}

// turn is a waiting call.
type turn struct {
	come  chan struct{}
	place *list.Element
}

// soon is how many calls get their turn within waitAim.
func (t *Turns) soon() int {
	if t.apart == 0 {
		return linesMost
	}
	return min(linesMost, int(waitAim/t.apart))
}

// full reports whether one more call would wait too long: behind the calls of
// its own caller, since lines get places in turn, or behind all calls.
func (t *Turns) full(line *list.List) bool {
	soon := t.soon()
	if line != nil && line.Len() >= max(lineLeast, min(lineMost, soon/len(t.lines))) {
		return true
	}
	return t.waiting >= max(2*soon, linesLeast) || t.waiting >= linesMost
}

// give adds the time since the last turn to the average.
func (t *Turns) give(now time.Time) {
	if !t.given.IsZero() {
		t.apart += (now.Sub(t.given) - t.apart) / averaged
	}
	t.given = now
	t.rest()
}

// rest forgets when the last turn was if no call waits for the next, so that
// idle time does not count.
func (t *Turns) rest() {
	if t.waiting == 0 {
		t.given = time.Time{}
	}
}

// enqueue gives a call a place at once and returns nil, or adds it to its
// caller's line.
func (t *Turns) enqueue(who string) (*turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.apart -= t.apart / averaged // where nobody has to wait it is soon forgotten
		t.free--
		t.inside[who]++
		return nil, nil //nolint:nilnil // nobody has to wait
	}
	line := t.lines[who]
	if t.full(line) {
		return nil, fault.ErrBusy
	}
	if line == nil {
		line = list.New()
		t.lines[who] = line
		t.order.PushBack(who)
	}
	it := &turn{come: make(chan struct{})}
	it.place = line.PushBack(it)
	t.waiting++
	return it, nil
}

// giveUp removes a call from its line. It reports false if the call just got a
// place.
func (t *Turns) giveUp(who string, it *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-it.come:
		return false
	default:
	}
	t.lines[who].Remove(it.place)
	t.waiting--
	t.rest()
	return true
}

// leave frees a place, or gives it to the next line if a call waits.
func (t *Turns) leave(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inside[who]--; t.inside[who] == 0 {
		delete(t.inside, who)
	}
	for e := t.order.Front(); e != nil; e = t.order.Front() {
		next := e.Value.(string) //nolint:forcetypeassert // only callers are put in
		line := t.lines[next]
		first := line.Front()
		if first != nil {
			line.Remove(first)
		}
		if line.Len() == 0 {
			t.order.Remove(e)
			delete(t.lines, next)
		} else {
			t.order.MoveToBack(e)
		}
		if first != nil {
			t.waiting--
			t.inside[next]++
			it := first.Value.(*turn) //nolint:forcetypeassert // only turns are put in
			t.give(time.Now())
			close(it.come)
			return
		}
	}
	t.free++
}
