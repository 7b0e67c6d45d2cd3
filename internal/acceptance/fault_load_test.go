package acceptance

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/history"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	"gateway.example/rpc/sign"
)

// load is merchants' programs that create payments, have them moved and read
// them, at two replicas by turns. Each makes a call again, with the same order
// id, until it is acknowledged.
type load struct {
	boxes []sandbox.Cashbox
	// bases are the replicas' addresses.
	bases    [2]string
	external string
	// hooks choose the endpoint of a payment, for each of the boxes.
	hooks []func() *shop

	// seen is all that clients asked of payments, and were answered; feeds
	// are what they read of events meanwhile.
	seen  *history.Orders
	feeds []*feedReader

	stopping atomic.Bool
	running  sync.WaitGroup

	mu      sync.Mutex
	current *round
	// acked is when each client was acknowledged something last.
	acked []time.Time
	// last is when anybody was.
	last time.Time
}

// round is the time of one fault.
type round struct {
	// promises are the payments whose every call was acknowledged in this
	// time.
	promises []promise
	calls    int
	// answers are what clients got instead of an acknowledgement.
	answers map[string]int
	// wrong are answers that no client should get who comes again.
	wrong []string
	// silence is the longest time in which nobody was acknowledged
	// anything.
	silence time.Duration
}

// promise is what a merchant was told of a payment.
type promise struct {
	order, id, status string
	box               sandbox.Cashbox
	hook              *shop
}

func newRound() *round { return &round{answers: map[string]int{}} }

const bystander = -1

// clientsEach is how many programs of each merchant call at once.
const clientsEach = 3

func (l *load) start(t *testing.T) {
	t.Helper()
	l.acked = make([]time.Time, clientsEach*len(l.boxes))
	l.last = time.Now()
	for client := range l.acked {
		l.running.Go(func() {
			for n := 0; !l.stopping.Load(); n++ {
				l.pay(client, n)
				time.Sleep(80 * time.Millisecond)
			}
		})
	}
	for _, box := range l.boxes {
		r := &feedReader{box: box, bases: l.bases}
		l.feeds = append(l.feeds, r)
		l.running.Go(func() {
			for !l.stopping.Load() {
				r.page()
				time.Sleep(200 * time.Millisecond)
			}
		})
	}
}

func (l *load) stop() {
	l.stopping.Store(true)
	l.running.Wait()
}

// next begins another round and returns the one before.
func (l *load) next(r *round) *round {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.current
	if before != nil {
		before.silence = max(before.silence, time.Since(l.last))
	}
	l.current, l.last = r, time.Now()
	return before
}

// pay is the life of one payment: created, moved unless it is an eighth, and
// read. Of every third somebody else asks for the creation, too, while all that
// happens.
func (l *load) pay(client, n int) {
	at := client % len(l.boxes)
	p := promise{order: newOrder(), status: "pending", box: l.boxes[at], hook: l.hooks[at]()}
	body := order(object{
		"orderId":     p.order,
		"callbackUri": p.hook.URL,
		"amount":      fmt.Sprintf("%d.%02d", 100+rand.IntN(900), rand.IntN(100)),
	})
	asked := history.Call{What: history.Create, Order: p.order}
	var beside sync.WaitGroup
	defer beside.Wait()
	if n%3 == 0 {
		beside.Go(func() { l.ask(bystander, asked, http.MethodPost, payments, body, signed(p.box, body)) })
	}
	created, ok := l.ask(client, asked, http.MethodPost, payments, body, signed(p.box, body))
	if !ok {
		return
	}
	p.id = created.text("data.id")
	if n%8 != 7 {
		p.status = []string{"completed", "failed"}[n%2]
		body := fmt.Sprintf(`{"status":%q}`, p.status)
		mark := header{"Signature": sign.Signature(l.external, []byte(body))}
		asked := history.Call{What: history.Move, Order: p.order, To: p.status}
		if _, ok := l.ask(client, asked, http.MethodPost, payments+"/"+p.id+"/callback", body, mark); !ok {
			return
		}
	}
	asked = history.Call{What: history.Read, Order: p.order}
	read, ok := l.ask(client, asked, http.MethodGet, payments+"/"+p.id, "", signed(p.box, ""))
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current.promises = append(l.current.promises, p)
	if read.text("data.status") != p.status {
		l.current.wrong = append(l.current.wrong, fmt.Sprintf("%s was set to %s: %s", p.order, p.status, read))
	}
}

// insist posts at one replica and at the other until it is acknowledged. It
// gives up only what is answered as no client should be answered that comes
// again. It is none of the load's clients.
func (l *load) insist(path, body string, headers header) (answer, bool) {
	return l.ask(bystander, history.Call{}, http.MethodPost, path, body, headers)
}

// ask is insist about an order, where each try is recorded.
func (l *load) ask(client int, asked history.Call, method, path, body string, headers header) (answer, bool) {
	began := time.Now()
	for try := rand.IntN(len(l.bases)); ; try++ {
		end := l.seen.Begin(asked)
		got, err := trySend(method, l.bases[try%len(l.bases)]+path, body, headers)
		kind := kindOf(got, err)
		if asked.Order != "" {
			seen(asked, end, kind, got)
		}
		if kind != "" && time.Since(began) > testenv.Patience {
			kind = "wrong" // there is an end to every fault
		}
		if l.note(client, kind, got, err) {
			return got, kind == ""
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// note counts an answer, and reports whether the call is at its end.
func (l *load) note(client int, kind string, got answer, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	switch kind {
	case "":
		l.current.calls++
		if client != bystander {
			l.current.silence = max(l.current.silence, now.Sub(l.last))
			l.acked[client], l.last = now, now
		}
		return true
	case "wrong":
		l.current.wrong = append(l.current.wrong, fmt.Sprintf("%s %v", got, err))
		return true
	}
	l.current.answers[kind]++
	return false
}

// kindOf is the kind of an answer: "" is an acknowledgement, "wrong" what
// clients should not get.
func kindOf(got answer, err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.EPIPE):
		return "reset"
	case err != nil && isTimeout(err):
		return "no answer"
	case err != nil:
		return "wrong"
	case got.status == http.StatusOK || got.status == http.StatusCreated:
		return ""
	case got.status == http.StatusServiceUnavailable:
		return "503 " + got.text("code")
	}
	return "wrong"
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// recovered waits until every client was acknowledged something after a moment,
// and returns how long the last of them waited for it.
func (l *load) recovered(t *testing.T, healed time.Time) time.Duration {
	noError(t, testenv.Eventually(func() error {
		l.mu.Lock()
		defer l.mu.Unlock()
		oldest := slices.MinFunc(l.acked, time.Time.Compare)
		if oldest.Before(healed) {
			return fmt.Errorf("a client was answered last %s before the end of the fault", healed.Sub(oldest))
		}
		return nil
	}))
	return time.Since(healed)
}

// saw is what clients got in a round besides acknowledgements.
func (r *round) saw() string {
	var seen []string
	for _, kind := range slices.Sorted(maps.Keys(r.answers)) {
		seen = append(seen, fmt.Sprintf("%d× %s", r.answers[kind], kind))
	}
	if len(seen) == 0 {
		return "nothing"
	}
	return strings.Join(seen, ", ")
}

// maxDeliveries is how often the contract has an event delivered at most: once,
// and ten times more.
const maxDeliveries = 11

// seen tells a recorder what a client was answered. What was refused, at the
// door or because there is no database, is to have done nothing: it is not
// recorded, so that whatever it did is seen as wrong.
func seen(asked history.Call, end func(history.Answer), kind string, got answer) {
	switch {
	case kind == "":
		changed := got.text("data.callbackQueued") == "true"
		if asked.What == history.Create {
			changed = got.header.Get("Idempotent-Replay") == ""
		}
		end(history.Answer{ID: got.text("data.id"), Status: got.text("data.status"), Changed: changed})
	case kind == "refused" || strings.HasPrefix(kind, "503 ") && kind != "503 outcome_unknown":
	default:
		end(history.Answer{Unknown: true})
	}
}

// feedReader is a merchant's program that reads events, and goes on from where
// it stopped.
type feedReader struct {
	box   sandbox.Cashbox
	bases [2]string
	tries int

	cursor string
	events []history.Event
	// cursors are those it has had, by the number of events before.
	cursors map[int]string
}

// page reads a page at one of the replicas, and reports whether there was
// anything. A page that does not come is asked for again.
func (r *feedReader) page() (more bool, err error) {
	r.tries++
	address := r.bases[r.tries%len(r.bases)] + "/api/v1/events?limit=100"
	if r.cursor != "" {
		address += "&cursor=" + url.QueryEscape(r.cursor)
	}
	got, err := trySend(http.MethodGet, address, "", signed(r.box, ""))
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("events: %s", got)
	}
	if err != nil {
		return true, err
	}
	list, _ := got.at("data").([]any)
	for _, one := range list {
		payload := fmt.Sprint(one.(object)["payload"])
		r.events = append(r.events, eventOf(fmt.Sprint(one.(object)["id"]), payload))
	}
	if next, is := got.at("next_cursor").(string); is && len(list) > 0 {
		if r.cursors == nil {
			r.cursors = map[int]string{}
		}
		r.cursor = next
		r.cursors[len(r.events)] = next
	}
	return len(list) > 0, nil
}

// rest reads on to the end.
func (r *feedReader) rest() error {
	failed := 0
	for {
		more, err := r.page()
		if err == nil && !more {
			return nil
		}
		if err != nil {
			if failed++; failed > 20 {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
}

func eventOf(id, body string) history.Event {
	e := answer{body: decoded(body)}
	sequence, _ := strconv.Atoi(e.text("meta.sequence"))
	return history.Event{ID: id, Order: e.text("meta.method") + " " + e.text("data.orderId"), Sequence: sequence, Body: body}
}

// checkHistory wants what clients saw to be explained by calls one after the
// other, the events that they read while faults came and went to be all there
// are, in the order in which they are for everybody, and what came to endpoints
// to be those.
func (s *stage) checkHistory(t *testing.T) {
	t.Helper()
	orders, calls, unknown := s.load.seen.Counts()
	began := time.Now()
	err := s.load.seen.Check(time.Minute)
	testenv.Check(t, err == nil, "%v", err)
	t.Logf("history: %d calls about %d payments, of %d nobody knows the outcome; checked in %s", calls, orders, unknown, time.Since(began))
	for i, reader := range s.load.feeds {
		again, err := s.checkFeed(reader, s.load.hooks[i]())
		testenv.Check(t, err == nil, "events of %s: %v", reader.box.KeyID, err)
		t.Logf("events of %s: %d, of which %d came again", reader.box.KeyID, len(reader.events), again)
	}
}

func (s *stage) checkFeed(reader *feedReader, hook *shop) (again int, err error) {
	if err := reader.rest(); err != nil {
		return 0, err
	}
	whole := &feedReader{box: reader.box, bases: reader.bases}
	if err := whole.rest(); err != nil {
		return 0, err
	}
	err = errors.Join(history.CheckLog(whole.events), history.CheckResumed(whole.events, reader.events, 0))
	points := slices.Collect(maps.Keys(reader.cursors))
	for range min(len(points), 10) { // anybody goes on at any cursor
		after := points[rand.IntN(len(points))]
		resumed := &feedReader{box: reader.box, bases: reader.bases, cursor: reader.cursors[after]}
		if cause := resumed.rest(); cause != nil {
			return 0, cause
		}
		err = errors.Join(err, history.CheckResumed(whole.events, resumed.events, after))
	}
	var came []history.Event
	for _, l := range hook.all() {
		came = append(came, eventOf(l.text("eventId"), l.raw))
	}
	again, cause := history.CheckDeliveries(whole.events, came, maxDeliveries)
	return again, errors.Join(err, cause)
}
