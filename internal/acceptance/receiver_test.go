package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
	"gateway.example/rpc/webhook"
)

// letter is one delivery, as it came.
type letter struct {
	answer
	method string
	// taken says that it was answered with 200, and not refused.
	taken bool
}

// shop is a merchant's endpoint. It takes only what is signed with its
// cashbox's secret, if it is told one.
type shop struct {
	*httptest.Server
	mu sync.Mutex
	// came is every delivery of an order, also those that were refused.
	came     map[string][]letter
	refused  []error
	statuses []int
	// delay is how long it takes over each; who hangs up before has told it
	// nothing.
	delay time.Duration
	// instead, if there is one, may answer an event in the shop's place,
	// which has taken it already where keep says so.
	instead atomic.Pointer[badManners]
}

// badManners are how an endpoint may answer that does not answer well.
type badManners struct {
	// keep says that it takes the event, however it then answers.
	keep   bool
	answer http.HandlerFunc
}

// newShop starts an endpoint that first answers with the given statuses and
// then with 200.
func newShop(t *testing.T, secret string, statuses ...int) *shop {
	t.Helper()
	s := &shop{came: map[string][]letter{}, statuses: statuses}
	verify := func([]byte, http.Header) error { return nil }
	if secret != "" {
		verifier := testenv.Must(standardwebhooks.NewWebhook(secret))(t)
		verify = func(body []byte, sent http.Header) error {
			_, own := webhook.Verify(sent, body, secret)
			return errors.Join(verifier.Verify(body, sent), own)
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		select {
		case <-time.After(s.delay):
		case <-r.Context().Done():
			return
		}
		bad := s.instead.Load()
		status := http.StatusOK
		if bad == nil || bad.keep {
			got := answer{header: r.Header, raw: string(body), body: decoded(string(body))}
			status = s.take(letter{answer: got, method: r.Method}, verify(body, r.Header))
		}
		if bad != nil {
			bad.answer(w, r)
			return
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(func() {
		s.Close()
		err := errors.Join(s.refused...)
		testenv.Check(t, err == nil, "%v", err)
	})
	return s
}

// take keeps an event and returns the status to answer with.
func (s *shop) take(l letter, err error) (status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := l.text("data.orderId")
	status = http.StatusOK
	if len(s.statuses) > 0 {
		status, s.statuses = s.statuses[0], s.statuses[1:]
	} else if err := errors.Join(err, description().webhook([]byte(l.raw))); err != nil {
		s.refused = append(s.refused, fmt.Errorf("webhook %s: %w", l.raw, err))
		status = http.StatusBadRequest
	}
	l.taken = status == http.StatusOK
	s.came[order] = append(s.came[order], l)
	return status
}

// events are those of an order that were taken.
func (s *shop) events(order string) []letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.came[order]), func(l letter) bool { return !l.taken })
}

// letters waits for an order's deliveries, as many as that, and returns all
// that have come.
func (s *shop) letters(t *testing.T, order string, count int) []letter {
	t.Helper()
	var got []letter
	testenv.Until(t, fmt.Sprintf("%d webhooks have come for %s", count, order), func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		got = slices.Clone(s.came[order])
		return len(got) >= count
	})
	return got
}

// all are the deliveries of all orders that were taken.
func (s *shop) all() (letters []letter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, came := range s.came {
		letters = append(letters, came...)
	}
	return slices.DeleteFunc(letters, func(l letter) bool { return !l.taken })
}

// await waits for an order's event.
func (s *shop) await(t *testing.T, order string) letter {
	t.Helper()
	testenv.Until(t, "an event of "+order+" has come", func() bool { return len(s.events(order)) > 0 })
	return s.events(order)[0]
}

// cardProcessor is a trader's processor, written from the package comment of
// internal/acquirer, with a book of its own. What becomes of a card its first
// digit says:
//
//	2  declined
//	3  charged, though it is called pending until somebody asks to undo it; then it is too late
//	4  needs a code; one that ends in 0 is wrong
//	5  charged at once
//	6  charged, though it is called pending until it is undone
type cardProcessor struct {
	*httptest.Server
	mu    sync.Mutex
	book  map[string]*booked
	calls map[string]int
	// instead, if there is one, may answer in the processor's place.
	instead answerer
}

// answerer answers a call, or reports that it does not. sign makes the
// signature of an answer.
type answerer func(w http.ResponseWriter, call string, body object, sign func(answer string) string) bool

// booked is what the processor has written down of an attempt.
type booked struct {
	pan, state string
	codes      float64
	wrong      int
	// resends is how many codes were asked for anew.
	resends float64
	// charged tells that money was taken, undone that it was given back.
	charged, undone bool
}

const (
	processorSecret = "what the processor and we share"
	rightCode       = "12345678"
	wrongCode       = "87654320"
)

func newCardProcessor(t *testing.T, instead answerer) *cardProcessor {
	t.Helper()
	p := &cardProcessor{book: map[string]*booked{}, calls: map[string]int{}, instead: instead}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *cardProcessor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, _ := io.ReadAll(r.Body)
	call, signature := strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get("X-Acquirer-Signature")
	if signature != processorSign(r.Header.Get("X-Acquirer-Timestamp"), call, string(content)) {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	var body object
	_ = json.Unmarshal(content, &body)
	sign := func(answer string) string { return processorSign(signature, answer) }
	if p.instead != nil && p.instead(w, call, body, sign) {
		return
	}
	answer, _ := json.Marshal(p.take(call, body))
	w.Header().Set("X-Acquirer-Signature", sign(string(answer)))
	_, _ = w.Write(answer)
}

// processorSign is the signature of lines.
func processorSign(lines ...string) string {
	mac := hmac.New(sha256.New, []byte(processorSecret))
	_, _ = io.WriteString(mac, strings.Join(lines, "\n"))
	return hex.EncodeToString(mac.Sum(nil))
}

// textOf is a JSON string, or "" of anything else.
func textOf(value any) string {
	s, _ := value.(string)
	return s
}

// take takes a call into the book and answers how the attempt stands.
func (p *cardProcessor) take(call string, body object) object {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := textOf(body["attemptId"])
	p.calls[call]++
	b := p.book[id]
	if b == nil && (call == "authorize" || call == "void") {
		b = &booked{}
		p.book[id] = b
	}
	if b == nil {
		return object{"attemptId": id, "state": "unknown"}
	}
	switch call {
	case "authorize":
		typed, _ := body["card"].(object)
		b.authorize(textOf(typed["pan"]))
	case "code":
		number, _ := body["number"].(float64)
		b.code(number, textOf(body["code"]))
	case "resend":
		b.resends, _ = body["number"].(float64)
	case "void":
		b.void()
	}
	return object{"attemptId": id, "state": b.state, "codes": b.codes}
}

func (b *booked) authorize(pan string) {
	if b.state != "" {
		return
	}
	b.pan = pan
	switch pan[0] {
	case '2':
		b.state = "declined"
	case '4':
		b.state = "code_needed"
	case '5':
		b.state, b.charged = "approved", true
	default:
		b.state, b.charged = "pending", true
	}
}

func (b *booked) code(number float64, code string) {
	if number <= b.codes {
		return
	}
	b.codes = number
	switch {
	case b.state != "code_needed":
	case strings.HasSuffix(code, "0"):
		b.wrong++
	default:
		b.state, b.charged = "approved", true
	}
}

func (b *booked) void() {
	switch {
	case b.state == "declined":
	case strings.HasPrefix(b.pan, "3"):
		b.state = "approved"
	default:
		b.state, b.undone = "voided", b.charged
	}
}

// ofCard is how often a card was charged, how many charges were not undone, how
// many of its codes were wrong, and how many others were asked for.
func (p *cardProcessor) ofCard(pan string) (charged, kept, wrong, resends int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.book {
		if b.pan != pan {
			continue
		}
		wrong, resends = wrong+b.wrong, resends+int(b.resends)
		if b.charged {
			charged++
		}
		if b.charged && !b.undone {
			kept++
		}
	}
	return charged, kept, wrong, resends
}

func (p *cardProcessor) called(call string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[call]
}

// setProcessor has an operator make it the processor of the trader of
// quasi_ecom payments.
func (g *instance) setProcessor(t *testing.T, p *cardProcessor) {
	t.Helper()
	trader := g.count(t, "select distinct trader_id from requisite where method = 'quasi_ecom'")
	g.portal(t, g.user(t, "operator").Token, "OperatorService/SetTraderAcquirer",
		fmt.Sprintf(`{"traderId":%d,"url":%q,"keyId":"gateway","secret":%q}`, trader, p.URL, processorSecret))
	keepSecret(processorSecret)
}
