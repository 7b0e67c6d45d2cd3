package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// cardProcessor is a trader's processor, written from the package comment of internal/acquirer,
// with a book of its own. What becomes of a card its first digit says:
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

// answerer answers a call, or reports that it does not. sign makes the signature of an answer.
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

// ofCard is how often a card was charged, how many charges were not undone, and how many of its
// codes were wrong.
func (p *cardProcessor) ofCard(pan string) (charged, kept, wrong int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.book {
		if b.pan != pan {
			continue
		}
		wrong += b.wrong
		if b.charged {
			charged++
		}
		if b.charged && !b.undone {
			kept++
		}
	}
	return charged, kept, wrong
}

// resent tells whether another code of a card was asked for.
func (p *cardProcessor) resent(pan string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.book {
		if b.pan == pan && b.resends > 0 {
			return true
		}
	}
	return false
}

func (p *cardProcessor) called(call string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[call]
}

// setProcessor has an operator make it the processor of the trader of quasi_ecom payments.
func (g *instance) setProcessor(t *testing.T, p *cardProcessor) {
	t.Helper()
	trader := g.count(t, "select distinct trader_id from requisite where method = 'quasi_ecom'")
	g.operates(t, "SetTraderAcquirer",
		fmt.Sprintf(`{"traderId":%d,"url":%q,"keyId":"gateway","secret":%q}`, trader, p.URL, processorSecret))
	keepSecret(processorSecret)
}
