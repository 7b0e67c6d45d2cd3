package acquirer_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

const secret = "a processor's secret"

type answering = func(w http.ResponseWriter, call string, body map[string]any, sign func(body string) string)

// processor is a trader's processor as the package comment describes it, written from that.
type processor struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
	// answer makes the answer to a call; it may break the rules.
	answer answering
}

func hexHMAC(lines ...string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, strings.Join(lines, "\n"))
	return hex.EncodeToString(mac.Sum(nil))
}

// correct answers with a state.
func correct(state string) answering {
	return func(w http.ResponseWriter, _ string, body map[string]any, sign func(string) string) {
		content, _ := json.Marshal(map[string]any{
			"attemptId": body["attemptId"], "state": state, "reason": "insufficient_funds", "codes": body["number"],
		})
		w.Header().Set("X-Acquirer-Signature", sign(string(content)))
		_, _ = w.Write(content)
	}
}

func newProcessor(t *testing.T) *processor {
	t.Helper()
	p := &processor{answer: correct("pending")}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		call := strings.TrimPrefix(r.URL.Path, "/cards/")
		signature := r.Header.Get("X-Acquirer-Signature")
		testenv.Check(t, r.Method == http.MethodPost && r.Header.Get("X-Acquirer-Key") == "gateway-1" &&
			signature == hexHMAC(r.Header.Get("X-Acquirer-Timestamp"), call, string(content)),
			"%s %s is not signed as agreed", r.Method, r.URL.Path)
		var body map[string]any
		err := json.Unmarshal(content, &body)
		testenv.Check(t, err == nil, "%v", err)
		p.mu.Lock()
		p.calls = append(p.calls, call+" "+string(content))
		answer := p.answer
		p.mu.Unlock()
		answer(w, call, body, func(content string) string { return hexHMAC(signature, content) })
	}))
	t.Cleanup(p.Close)
	return p
}

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// directoryOf has the processors of a database, at the addresses that may be called.
func directoryOf(d *dbtest.DB, addresses *outbound.Addresses) *acquirer.Directory {
	return acquirer.NewDirectory(d.Pool, &dbtest.Clock{}, dbtest.Vault(), addresses, nil, acquirer.Config{})
}

// set has an operator set a trader's processor.
func set(t *testing.T, directory *acquirer.Directory, s acquirer.Setting) {
	t.Helper()
	_, _, err := directory.Set(t.Context(), operator, s)
	testenv.NoError(t, err)
}

// at makes the trader's acquirer the processor, set by an operator.
func at(t *testing.T, url string) acquirer.Acquirer {
	t.Helper()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	directory := directoryOf(d, outbound.NewAddresses(true))
	set(t, directory, acquirer.Setting{TraderID: trader.ID, URL: url, KeyID: "gateway-1", Secret: secret})
	found, _, err := directory.For(t.Context(), trader.ID)
	testenv.NoError(t, err)
	return found
}

var attempt = acquirer.Attempt{
	ID: uuid.MustParse("01900000-0000-7000-8000-000000000001"), Amount: decimal.RequireFromString("10.5"),
	Currency: "AZN",
}

func typed(t *testing.T) (card.Card, acquirer.CVV, acquirer.Code) {
	t.Helper()
	f := fault.Fields{}
	c := card.Parse(f, card.Entry{PAN: "4242424242424242", ExpMonth: "1", ExpYear: "30", Holder: "ANNA B"}, dbtest.Start)
	cvv, code := acquirer.ParseCVV(f, "cvv", "987"), acquirer.ParseCode(f, "otp", "654321")
	testenv.NoError(t, f.Err())
	return c, cvv, code
}

// Each call as it is agreed on, and its answer.
func TestCalls(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	a := at(t, p.URL+"/cards/")
	c, cvv, code := typed(t)
	ctx, id := t.Context(), attempt.ID
	const named = `{"attemptId":"01900000-0000-7000-8000-000000000001"`
	for _, test := range []struct {
		state string
		call  func() (acquirer.Answer, error)
		asked string
		want  acquirer.Answer
	}{
		{
			"pending", func() (acquirer.Answer, error) { return a.Authorize(ctx, attempt, c, cvv) },
			`authorize ` + named + `,"amount":"10.50","currency":"AZN","card":{"pan":"4242424242424242","expMonth":"01","expYear":"2030","cvv":"987","holder":"ANNA B"}}`,
			acquirer.Answer{State: acquirer.Pending},
		},
		{
			"code_needed", func() (acquirer.Answer, error) { return a.SubmitCode(ctx, id, 2, code) },
			`code ` + named + `,"number":2,"code":"654321"}`, acquirer.Answer{State: acquirer.CodeNeeded, Codes: 2},
		},
		{
			"approved", func() (acquirer.Answer, error) { return a.ResendCode(ctx, id, 3) },
			`resend ` + named + `,"number":3}`, acquirer.Answer{State: acquirer.Approved, Codes: 3},
		},
		{
			"declined", func() (acquirer.Answer, error) { return a.Result(ctx, id) }, `result ` + named + `}`,
			acquirer.Answer{State: acquirer.Declined, Reason: "insufficient_funds"},
		},
		{"voided", func() (acquirer.Answer, error) { return a.Void(ctx, id) }, `void ` + named + `}`, acquirer.Answer{State: acquirer.Voided}},
	} {
		p.answer = correct(test.state)
		got, err := test.call()
		testenv.Check(t, err == nil && got == test.want, "%s: %+v %v, want %+v", test.asked, got, err, test.want)
		testenv.Want(t, p.calls[len(p.calls)-1], test.asked, "asked for")
	}
}

// The reasons that payers are told apart are taken as they are, of a declined card; any other is that the card was declined.
func TestReasons(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	a := at(t, p.URL+"/cards")
	for reason, want := range map[string]string{
		"card_declined": "card_declined", "insufficient_funds": "insufficient_funds", "card_expired": "card_expired",
		"limit_exceeded": "limit_exceeded", "LIMIT_EXCEEDED": "card_declined", "fraud": "card_declined", "": "card_declined",
	} {
		for state, want := range map[string]string{"declined": want, "pending": ""} {
			p.mu.Lock()
			p.answer = func(w http.ResponseWriter, _ string, body map[string]any, sign func(string) string) {
				content, _ := json.Marshal(map[string]any{"attemptId": body["attemptId"], "state": state, "reason": reason})
				w.Header().Set("X-Acquirer-Signature", sign(string(content)))
				_, _ = w.Write(content)
			}
			p.mu.Unlock()
			got, err := a.Result(t.Context(), attempt.ID)
			testenv.Check(t, err == nil && got.Reason == want, "%s for %q: %+v, %v", state, reason, got, err)
		}
	}
}

// A call whose answer is none, or not to be trusted, is made again with the same attempt.
func TestCallsAgain(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]answering{
		"status 500": func(w http.ResponseWriter, _ string, _ map[string]any, _ func(string) string) { w.WriteHeader(500) },
		"redirect": func(w http.ResponseWriter, _ string, _ map[string]any, _ func(string) string) {
			w.Header().Set("Location", "https://elsewhere.example/")
			w.WriteHeader(307)
		},
		"hangs up": func(http.ResponseWriter, string, map[string]any, func(string) string) { panic(http.ErrAbortHandler) },
		"not signed": func(w http.ResponseWriter, c string, body map[string]any, _ func(string) string) {
			correct("approved")(w, c, body, func(string) string { return "" })
		},
		"signed for another request": func(w http.ResponseWriter, c string, body map[string]any, _ func(string) string) {
			correct("approved")(w, c, body, func(content string) string { return hexHMAC("0", content) })
		},
		"another attempt": func(w http.ResponseWriter, c string, _ map[string]any, sign func(string) string) {
			correct("approved")(w, c, map[string]any{"attemptId": uuid.NewString()}, sign)
		},
		"no state": func(w http.ResponseWriter, c string, body map[string]any, sign func(string) string) {
			correct("settled")(w, c, body, sign)
		},
		"no JSON": func(w http.ResponseWriter, _ string, _ map[string]any, sign func(string) string) {
			w.Header().Set("X-Acquirer-Signature", sign("ok"))
			_, _ = io.WriteString(w, "ok")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			first := true
			p.answer = func(w http.ResponseWriter, call string, body map[string]any, sign func(string) string) {
				if first {
					first = false
					bad(w, call, body, sign)
					return
				}
				correct("pending")(w, call, body, sign)
			}
			c, cvv, _ := typed(t)
			got, err := at(t, p.URL+"/cards").Authorize(t.Context(), attempt, c, cvv)
			testenv.Check(t, err == nil && got.State == acquirer.Pending, "%+v %v", got, err)
			testenv.Check(t, len(p.calls) == 2 && p.calls[0] == p.calls[1], "calls %v", p.calls)
		})
	}
}

// A processor that never answers has its caller wait for ten seconds, not more; the error gives
// nothing away. Only the whole check waits so long; otherwise the caller gives up.
func TestTimeout(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	over := make(chan struct{})
	p.answer = func(http.ResponseWriter, string, map[string]any, func(string) string) { <-over }
	defer close(over)
	c, cvv, _ := typed(t)
	a := at(t, p.URL+"/cards")
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Pick(t, 300*time.Millisecond, time.Hour))
	defer cancel()
	began := time.Now()
	_, err := a.Authorize(ctx, attempt, c, cvv)
	if took := time.Since(began); err == nil || testenv.Whole(t) && (took < 9*time.Second || took > 13*time.Second) {
		t.Fatalf("%v after %s", err, took)
	}
	testenv.Want(t, acquirer.Timeout, 10*time.Second, "a call may take")
	for _, told := range []string{"4242", "987", p.URL, secret} {
		testenv.Check(t, !strings.Contains(err.Error(), told), "the error tells %s: %v", told, err)
	}
}

func TestSetRefuses(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	good := acquirer.Setting{TraderID: trader.ID, URL: "https://cards.example/v1", KeyID: "k", Secret: secret}
	directory := directoryOf(d, outbound.NewAddresses(false))
	if _, _, err := directory.For(t.Context(), trader.ID); err != acquirer.ErrNone { //nolint:errorlint // exactly it
		t.Errorf("without a row: %v", err)
	}
	for name, change := range map[string]func(s *acquirer.Setting){
		"url": func(s *acquirer.Setting) { s.URL = "http://cards.example" }, "url loopback": func(s *acquirer.Setting) { s.URL = "http://127.0.0.1:1" },
		"url user": func(s *acquirer.Setting) { s.URL = "https://me@cards.example" }, "url none": func(s *acquirer.Setting) { s.URL = "" },
		"url query":    func(s *acquirer.Setting) { s.URL = "https://cards.example/?" },
		"url https":    func(s *acquirer.Setting) { s.URL = "https://127.0.0.1:29090/x" },
		"url metadata": func(s *acquirer.Setting) { s.URL = "https://169.254.169.254/latest" },
		"url private":  func(s *acquirer.Setting) { s.URL = "https://10.0.0.5/x" },
		"keyId":        func(s *acquirer.Setting) { s.KeyID = "" }, "secret": func(s *acquirer.Setting) { s.Secret = "short" },
		"traderId": func(s *acquirer.Setting) { s.TraderID = 999 },
	} {
		setting := good
		change(&setting)
		_, _, err := directory.Set(t.Context(), operator, setting)
		field, _, _ := strings.Cut(name, " ")
		dbtest.WantFields(t, err, field)
	}
	_, _, err := directory.Set(t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: trader.ID}, good)
	testenv.Check(t, fault.As(err) != nil, "a trader sets his own")
	change, _, err := directory.Set(t.Context(), operator, good)
	testenv.NoError(t, err)
	testenv.Check(t, !strings.Contains(string(change.After), "secret") && reflect.DeepEqual(change.Before, []byte(nil)),
		"recorded %s", change.After)
}

// What stands behind an address is judged when it is dialled: no card goes to a processor that was set
// while its address was admitted, or whose name has come to stand for another one.
func TestDialled(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	setting := acquirer.Setting{TraderID: trader.ID, URL: p.URL + "/cards", KeyID: "gateway-1", Secret: secret}
	set(t, directoryOf(d, outbound.NewAddresses(true)), setting)
	own := outbound.NewAddressesWithin(false, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	a, _, err := directoryOf(d, own).For(t.Context(), trader.ID)
	testenv.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it is tried until the time is over
	defer cancel()
	c, cvv, _ := typed(t)
	_, err = a.Authorize(ctx, attempt, c, cvv)
	testenv.Check(t, err != nil && err.Error() == "the processor's address is not allowed", "the call: %v", err)
	testenv.Want(t, len(p.calls), 0, "cards sent")
}

// A processor that was replaced is still found by who began with it, with the key and secret it was last given.
func TestReplaced(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	directory := directoryOf(d, outbound.NewAddresses(false))
	var ids []int64
	for _, s := range []acquirer.Setting{
		{URL: "https://one.example/", KeyID: "first"}, {URL: "https://two.example", KeyID: "second"},
		{URL: "https://two.example/", KeyID: "third"}, {URL: "https://one.example", KeyID: "fourth"},
	} {
		s.TraderID, s.Secret = trader.ID, secret
		set(t, directory, s)
		_, id, err := directory.For(t.Context(), trader.ID)
		testenv.NoError(t, err)
		ids = append(ids, id)
	}
	one, two := ids[0], ids[1]
	testenv.Check(t, one != two && slices.Equal(ids, []int64{one, two, two, one}), "ids %v, want the same for the same address", ids)
	for i, keyID := range []string{"fourth", "third"} {
		got := d.Text(t, "select key_id from trader_acquirer where id = $1", ids[i])
		_, err := directory.Began(t.Context(), ids[i])
		testenv.Check(t, err == nil && got == keyID, "processor %d: key %s, %v; want %s", i+1, got, err, keyID)
	}
}
