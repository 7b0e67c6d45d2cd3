package acceptance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/net/dns/dnsmessage"

	"gateway.example/internal/testenv"
)

// badOr chooses one of the bad endpoints while there are any.
func (s *stage) badOr(own func() *shop) func() *shop {
	return func() *shop {
		if bad := s.bad.Load(); bad != nil {
			return (*bad)[rand.IntN(len(*bad))]
		}
		return own()
	}
}

// receiversMisbehave has one merchant's endpoints answer in every bad way, and
// well in the end. The other merchant's events come as ever.
func (s *stage) receiversMisbehave(t *testing.T) {
	var strayed atomic.Int64
	manners := []badManners{
		{false, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{false, reset},
		{true, drip},
		{false, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/stray" {
				strayed.Add(1)
			}
			http.Redirect(w, r, "/stray", http.StatusTemporaryRedirect)
		}},
		{true, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 10<<20)) }},
	}
	var bad []*shop
	for i := range manners {
		one := newShop(t, s.load.boxes[0].WebhookSecret)
		one.instead.Store(&manners[i])
		bad = append(bad, one)
	}
	s.bad.Store(&bad)
	time.Sleep(5 * time.Second)
	s.load.mu.Lock()
	others := slices.Clone(s.load.current.promises)
	s.load.mu.Unlock()
	noError(t, testenv.Eventually(func() error {
		return untold(slices.DeleteFunc(others, func(p promise) bool { return p.hook != s.load.hooks[1]() }))
	}))
	s.bad.Store(nil)
	for _, one := range bad {
		one.instead.Store(nil)
	}
	testenv.Want(t, strayed.Load(), 0, "redirects that were followed")
}

// reset ends the connection without an answer.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// drip answers a letter a second.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write([]byte("x")); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		time.Sleep(time.Second)
	}
}

// untold reports a payment whose end its merchant has not been told.
func untold(promises []promise) error {
	for _, p := range promises {
		events := p.hook.events(p.order)
		if p.status != "pending" && !slices.ContainsFunc(events, func(e letter) bool {
			return e.text("meta.sequence") == "1" && e.text("data.status") == strings.ToUpper(p.status)
		}) {
			return fmt.Errorf("%s: %s was not told: %v", p.order, p.status, events)
		}
	}
	return nil
}

// awaitEvents waits until every end of a payment was told. What did not arrive
// at once is sent again later, so the sandbox's clock goes on.
func (s *stage) awaitEvents(t *testing.T) {
	t.Helper()
	for _, l := range s.lines {
		err := testenv.Eventually(func() error {
			missing := untold(l.promises)
			if missing != nil {
				s.b.advance(t, 20*time.Second)
				time.Sleep(500 * time.Millisecond)
			}
			return missing
		})
		testenv.Check(t, err == nil, "%s: %v\n%s", l.fault, err, s.whereabouts(t, l.promises))
	}
}

// whereabouts says what the database knows of events of payments whose end was
// not told.
func (s *stage) whereabouts(t *testing.T, promises []promise) string {
	var orders []string
	for _, p := range promises {
		if untold([]promise{p}) != nil {
			orders = append(orders, p.order)
		}
	}
	var known string
	err := s.pool.QueryRow(t.Context(), `
		select jsonb_pretty(jsonb_agg(jsonb_build_object('order', p.order_id, 'payment', p.status, 'now', now(),
			'event', to_jsonb(e) - 'body', 'delivery', to_jsonb(d), 'endpoint', to_jsonb(n), 'attempts', (
				select jsonb_agg(to_jsonb(a) - 'answer' order by a.id) from webhook_attempt a
				where a.merchant_id = e.merchant_id and a.event_id = e.id))))
		from payment p
		left join webhook_event e on e.merchant_id = p.merchant_id and e.subject = 'payment' and e.subject_id = p.id
		left join webhook_delivery d on d.merchant_id = e.merchant_id and d.event_id = e.id
		left join webhook_endpoint n on n.merchant_id = d.merchant_id and n.host = d.host
		where p.order_id = any($1)`, orders).Scan(&known)
	return fmt.Sprint(orders, known, err)
}

// processorMisbehaves has a trader's processor hang, answer about another
// attempt, and answer twice; after each, it has charged the card. In the end it
// says so when it is asked.
func (s *stage) processorMisbehaves(t *testing.T) {
	var behave atomic.Bool
	var calls atomic.Int64
	var p *cardProcessor
	p = newCardProcessor(t, func(w http.ResponseWriter, call string, body object, sign func(string) string) bool {
		if behave.Load() {
			return false
		}
		answer := p.take(call, body)
		once, _ := json.Marshal(answer)
		switch calls.Add(1) % 3 {
		case 0: // it hangs
			time.Sleep(12 * time.Second)
			return true
		case 1:
			answer["attemptId"] = uuid.NewString()
			once, _ = json.Marshal(answer)
		default:
			once = append(once, once...)
		}
		w.Header().Set("X-Acquirer-Signature", sign(string(once)))
		_, _ = w.Write(once)
		return true
	})
	s.a.setProcessor(t, p)
	s.a.awaitSettings(t)
	var paying sync.WaitGroup
	pans, ids := make([]string, 6), make([]string, 6)
	for i := range ids {
		pans[i] = randomPAN("5") // which the processor charges at once
		paying.Go(func() { ids[i] = s.payByCard(t, pans[i]) })
	}
	paying.Wait()
	behave.Store(true)
	// A call may take that long: before, nobody asks after it.
	s.a.advance(t, 16*time.Second)
	box := s.a.box(t, "sandbox-azn")
	for i, id := range ids {
		noError(t, testenv.Eventually(func() error {
			got, err := trySend(http.MethodGet, s.a.BaseURL+payments+"/"+id, "", signed(box, ""))
			if err == nil && got.text("data.status") != "completed" {
				err = fmt.Errorf("the card's payment: %s", got)
			}
			return err
		}))
		charged, kept, _, _ := p.ofCard(pans[i])
		testenv.Check(t, charged == 1 && kept == 1, "card %d was charged %d times, and %d charges stand", i, charged, kept)
	}
}

// payByCard types a card, whatever comes of it, and returns the payment's id.
func (s *stage) payByCard(t *testing.T, pan string) string {
	body := order(object{"method": "quasi_ecom", "currency": "AZN", "amount": "100"})
	created, ok := s.load.insist(payments, body, signed(s.a.box(t, "sandbox-azn"), body))
	if !ok {
		return ""
	}
	token := path.Base(created.text("data.checkoutUrl"))
	got, err := trySend(http.MethodPost, s.a.BaseURL+"/api/v1/checkout/"+token+"/payer-details",
		typedCard(pan, nil), nil)
	testenv.Check(t, err == nil && (got.status == 200 || got.status == 503), "the card: %s %v", got, err)
	return created.text("data.id")
}

// gatewayStandsStill has a gateway stand still for longer than it leases the
// feed of what users are told, and go on as if nothing had been.
func (s *stage) gatewayStandsStill(t *testing.T) {
	noError(t, s.a.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(12 * time.Second)
	noError(t, s.a.cmd.Process.Signal(syscall.SIGCONT))
}

// descriptorsAreTaken has a gateway open nothing more: no connection of a
// client, none to PostgreSQL or to a receiver.
func (s *stage) descriptorsAreTaken(t *testing.T) {
	pid := s.a.cmd.Process.Pid
	limits := func(descriptors string) {
		out, err := exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--nofile="+descriptors+":").CombinedOutput()
		testenv.Check(t, err == nil, "prlimit: %v %s", err, out)
	}
	was := testenv.Must(exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--nofile", "--output=SOFT", "--noheadings").Output())(t)
	limits("16")
	times := 0
	testenv.Until(t, "the gateway has no descriptor left", func() bool {
		// What is open stays so: it has to come again.
		client.Transport.(judged).next.(*http.Transport).CloseIdleConnections()
		s.connectionsEnd(t)
		time.Sleep(time.Second)
		times++
		return times >= 4 && strings.Contains(s.a.stderr.String(), "too many open files")
	})
	limits(strings.TrimSpace(string(was)))
}

const endConnections = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'"

// connectionsEnd ends all connections to PostgreSQL.
func (s *stage) connectionsEnd(t *testing.T) {
	testenv.Must(s.pool.Exec(t.Context(), endConnections))(t)
}

// memoryIsShort starts a gateway with a limit below what it needs, so that it
// collects garbage all the time. One that goes on beyond the limit of a machine
// or a container is killed.
func (s *stage) memoryIsShort(t *testing.T) {
	before := s.a.variables
	s.a.again(t, s.a.program, map[string]string{"GOMEMLIMIT": "16MiB"})
	time.Sleep(3 * time.Second)
	s.a.again(t, s.a.program, before)
}

// dnsFails has both gateways' names unknown: first nobody answers, then
// somebody who fails. The merchant's endpoint has a name, and what is to go
// there comes when names are known again.
func (s *stage) dnsFails(t *testing.T) {
	names := newNames(t)
	for _, g := range []*instance{s.a, s.b} {
		variables := map[string]string{"DNS_OF_TEST": names.address}
		if tmp := g.variables["TMPDIR"]; tmp != "" {
			variables["TMPDIR"] = tmp
		}
		g.again(t, s.unsteady, variables)
	}
	named := func(host string) *shop { // another each time: to a known one there are connections
		at := newShop(t, s.load.boxes[0].WebhookSecret)
		at.URL = strings.Replace(at.URL, "127.0.0.1", host+".localhost", 1)
		s.bad.Store(&[]*shop{at})
		return at
	}
	names.do.Store(knows)
	known := named("known")
	testenv.Until(t, "a webhook comes to a name", func() bool { return len(known.all()) > 0 })
	for do, lasts := range map[int32]time.Duration{silent: 4 * time.Second, fails: 3 * time.Second} {
		before := names.asked.Load()
		names.do.Store(do)
		named(fmt.Sprint("unknown-", do))
		time.Sleep(lasts)
		testenv.Until(t, fmt.Sprintf("a gateway asks for a name while names do %d", do), func() bool { return names.asked.Load() > before })
	}
	s.bad.Store(nil)
	names.do.Store(knows)
}

// asks has a program ask the test's names.
const asks = `package main

import (
	"context"
	"net"
	"os"
)

func init() {
	if at := os.Getenv("DNS_OF_TEST"); at != "" {
		net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", at)
		}}
	}
}
`

// names is a server of names, each of which is of this machine.
type names struct {
	address string
	// do is what it does when it is asked.
	do, asked atomic.Int32
}

const (
	knows = iota
	silent
	fails
)

func newNames(t *testing.T) *names {
	listener := testenv.Must(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	n := &names{address: listener.LocalAddr().String()}
	go func() {
		buffer := make([]byte, 1500)
		for {
			length, from, err := listener.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := n.answer(buffer[:length]); answer != nil {
				_, _ = listener.WriteTo(answer, from)
			}
		}
	}()
	return n
}

func (n *names) answer(question []byte) []byte {
	n.asked.Add(1)
	var m dnsmessage.Message
	do := n.do.Load()
	if m.Unpack(question) != nil || do == silent {
		return nil
	}
	m.Response, m.Additionals = true, nil
	switch q := m.Questions[0]; {
	case do == fails:
		m.RCode = dnsmessage.RCodeServerFailure
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, _ := m.Pack()
	return answer
}
