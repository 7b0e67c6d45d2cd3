package acquirer_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql/driver"
	"encoding"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// call is one of a processor, which answers it. What it says is signed.
type call struct {
	http.ResponseWriter
	body map[string]any
	sign func(body string) string
}

func (c call) say(content string) {
	c.Header().Set("X-Acquirer-Signature", c.sign(content))
	_, _ = io.WriteString(c, content)
}

func (c call) state(state, reason string) {
	content, _ := json.Marshal(map[string]any{
		"attemptId": c.body["attemptId"], "state": state, "reason": reason, "codes": c.body["number"],
	})
	c.say(string(content))
}

func hexHMAC(lines ...string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, strings.Join(lines, "\n"))
	return hex.EncodeToString(mac.Sum(nil))
}

// correct answers with a state.
func correct(state string) func(c call) {
	return func(c call) { c.state(state, "insufficient_funds") }
}

// processor is a trader's processor as the package comment describes it,
// written from that.
type processor struct {
	*testenv.Endpoint
	t *testing.T
}

func newProcessor(t *testing.T) *processor {
	t.Helper()
	p := &processor{testenv.NewEndpoint(t, nil), t}
	p.answers(correct("pending"))
	return p
}

// answers has it answer so from now on, where a call is as it should be; it may
// break the rules.
func (p *processor) answers(answer func(c call)) {
	p.Say(func(w http.ResponseWriter, r *http.Request, nth int) {
		c, name := call{ResponseWriter: w}, strings.TrimPrefix(r.URL.Path, "/cards/")
		content, signature := string(p.All()[nth-1].Body), r.Header.Get("X-Acquirer-Signature")
		testenv.Check(p.t, r.Method == http.MethodPost && r.Header.Get("X-Acquirer-Key") == "gateway-1" &&
			signature == hexHMAC(r.Header.Get("X-Acquirer-Timestamp"), name, content),
			"%s %s is not signed as agreed", r.Method, r.URL.Path)
		err := json.Unmarshal([]byte(content), &c.body)
		testenv.Check(p.t, err == nil, "%v", err)
		c.sign = func(content string) string { return hexHMAC(signature, content) }
		answer(c)
	})
}

// calls are those so far, each with what it says.
func (p *processor) calls() (calls []string) {
	for _, sent := range p.All() {
		calls = append(calls, strings.TrimPrefix(sent.Path, "/cards/")+" "+string(sent.Body))
	}
	return calls
}

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 1}

// directoryOf has the processors of a database, at the addresses that may be
// called.
func directoryOf(d *dbtest.DB, addresses *outbound.Addresses) *acquirer.Directory {
	return acquirer.NewDirectory(d.Pool, &dbtest.Clock{}, dbtest.Vault(), addresses, nil, acquirer.Config{})
}

// at makes the trader's acquirer the processor, set by an operator.
func at(t *testing.T, url string) acquirer.Acquirer {
	t.Helper()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	directory := directoryOf(d, outbound.NewAddresses(true))
	setting := acquirer.Setting{TraderID: trader.ID, URL: url, KeyID: "gateway-1", Secret: secret}
	testenv.Must2(directory.Set(t.Context(), operator, setting))(t)
	found, _ := testenv.Must2(directory.For(t.Context(), trader.ID))(t)
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
		p.answers(correct(test.state))
		got, err := test.call()
		testenv.Check(t, err == nil && got == test.want, "%s: %+v %v, want %+v", test.asked, got, err, test.want)
		calls := p.calls()
		testenv.Want(t, calls[len(calls)-1], test.asked, "asked for")
	}
}

// The reasons that payers are told apart are taken as they are, of a declined
// card; any other is that the card was declined.
func TestReasons(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	a := at(t, p.URL+"/cards")
	for reason, want := range map[string]string{
		"card_declined": "card_declined", "insufficient_funds": "insufficient_funds", "card_expired": "card_expired",
		"limit_exceeded": "limit_exceeded", "LIMIT_EXCEEDED": "card_declined", "fraud": "card_declined", "": "card_declined",
	} {
		for state, want := range map[string]string{"declined": want, "pending": ""} {
			p.answers(func(c call) { c.state(state, reason) })
			got, err := a.Result(t.Context(), attempt.ID)
			testenv.Check(t, err == nil && got.Reason == want, "%s for %q: %+v, %v", state, reason, got, err)
		}
	}
}

// A call whose answer is none, or not to be trusted, is made again with the
// same attempt.
func TestCallsAgain(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(c call){
		"status 500": func(c call) { c.WriteHeader(http.StatusInternalServerError) },
		"redirect": func(c call) {
			c.Header().Set("Location", "https://elsewhere.example/")
			c.WriteHeader(http.StatusTemporaryRedirect)
		},
		"hangs up": func(call) { panic(http.ErrAbortHandler) },
		"not signed": func(c call) {
			c.sign = func(string) string { return "" }
			correct("approved")(c)
		},
		"signed for another request": func(c call) {
			c.sign = func(content string) string { return hexHMAC("0", content) }
			correct("approved")(c)
		},
		"another attempt": func(c call) {
			c.body = map[string]any{"attemptId": uuid.NewString()}
			correct("approved")(c)
		},
		"no state": correct("settled"),
		"no JSON":  func(c call) { c.say("ok") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			var first atomic.Bool
			p.answers(func(c call) {
				if first.CompareAndSwap(false, true) {
					bad(c)
					return
				}
				correct("pending")(c)
			})
			c, cvv, _ := typed(t)
			got, err := at(t, p.URL+"/cards").Authorize(t.Context(), attempt, c, cvv)
			testenv.Check(t, err == nil && got.State == acquirer.Pending, "%+v %v", got, err)
			calls := p.calls()
			testenv.Check(t, len(calls) == 2 && calls[0] == calls[1], "calls %v", calls)
		})
	}
}

// Nobody to whom a processor redirects a call is handed the card.
func TestNoCardElsewhere(t *testing.T) {
	t.Parallel()
	p, elsewhere := newProcessor(t), newProcessor(t)
	elsewhere.answers(correct("approved"))
	var first atomic.Bool
	p.answers(func(c call) {
		if first.CompareAndSwap(false, true) {
			c.Header().Set("Location", elsewhere.URL)
			c.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		correct("pending")(c)
	})
	c, cvv, _ := typed(t)
	testenv.Must(at(t, p.URL+"/cards").Authorize(t.Context(), attempt, c, cvv))(t)
	testenv.Check(t, len(elsewhere.calls()) == 0, "elsewhere was called: %v", elsewhere.calls())
}

// mute answers no call.
type mute struct{}

func (mute) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A processor that never answers has its caller wait for ten seconds, not more.
func TestTimeout(t *testing.T) {
	outbound.Watched = func(http.RoundTripper) http.RoundTripper { return mute{} }
	a := at(t, "https://cards.example/v1")
	outbound.Watched = nil
	c, cvv, _ := typed(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := a.Authorize(t.Context(), attempt, c, cvv)
		took := time.Since(began)
		testenv.Check(t, err != nil && took == 10*time.Second, "%v after %s", err, took)
	})
}

// What a caller is told who gives up a processor that does not answer gives
// nothing away.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	over := make(chan struct{})
	p.answers(func(call) { <-over })
	defer close(over)
	c, cvv, _ := typed(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := at(t, p.URL+"/cards").Authorize(ctx, attempt, c, cvv)
	testenv.Need(t, err != nil, "it was answered")
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
		field, _, _ := strings.Cut(name, " ")
		dbtest.WantFields(t, testenv.ErrOf2(directory.Set(t.Context(), operator, setting)), field)
	}
	err := testenv.ErrOf2(directory.Set(t.Context(), caller.Caller{Kind: caller.Trader, Role: caller.Owner, TraderID: trader.ID}, good))
	testenv.Check(t, fault.As(err) != nil, "a trader sets his own")
	change, _ := testenv.Must2(directory.Set(t.Context(), operator, good))(t)
	testenv.Check(t, !strings.Contains(string(change.After), secret) && reflect.DeepEqual(change.Before, []byte(nil)),
		"recorded %s", change.After)
}

// What stands behind an address is judged when it is dialled: no card goes to a
// processor that was set while its address was admitted, or whose name has come
// to stand for another one.
func TestDialled(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{})
	setting := acquirer.Setting{TraderID: trader.ID, URL: p.URL + "/cards", KeyID: "gateway-1", Secret: secret}
	testenv.Must2(directoryOf(d, outbound.NewAddresses(true)).Set(t.Context(), operator, setting))(t)
	own := outbound.NewAddressesWithin(false, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	a, _ := testenv.Must2(directoryOf(d, own).For(t.Context(), trader.ID))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // it is tried until the time is over
	defer cancel()
	c, cvv, _ := typed(t)
	err := testenv.ErrOf(a.Authorize(ctx, attempt, c, cvv))
	testenv.Check(t, err != nil && err.Error() == "the processor's address is not allowed", "the call: %v", err)
	testenv.Want(t, len(p.All()), 0, "cards sent")
}

// A processor that was replaced is still found by who began with it, with the
// key and secret it was last given.
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
		testenv.Must2(directory.Set(t.Context(), operator, s))(t)
		_, id := testenv.Must2(directory.For(t.Context(), trader.ID))(t)
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

// Whatever prints a code, or something around it, it does not show; nothing
// encodes it.
func TestSecretsHide(t *testing.T) {
	t.Parallel()
	f := fault.Fields{}
	cvv, code := acquirer.ParseCVV(f, "cvv", "7391"), acquirer.ParseCode(f, "otp", "73918264")
	testenv.NoError(t, f.Err())
	type both struct {
		hidden acquirer.CVV
		Shown  acquirer.Code
		Ptr    *acquirer.CVV
	}
	inside := both{cvv, code, &cvv}
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "cvv", cvv, "code", code, "inside", inside)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "cvv", cvv, "code", code, "inside", inside)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{cvv, &cvv, code, inside, []acquirer.Code{code}} {
			_, _ = fmt.Fprintf(&out, verb, value)
		}
	}
	for _, digits := range []string{"7391", "37333931"} {
		testenv.Check(t, !strings.Contains(out.String(), digits), "%s shows in %s", digits, out.String())
	}
	for _, value := range []any{cvv, code, &inside} {
		text, err := json.Marshal(value)
		testenv.Check(t, err != nil, "encoded as %s", text)
	}
}

// Nothing that stores things takes a code, not even where its type is not
// checked.
func TestSecretsCannotBeStored(t *testing.T) {
	t.Parallel()
	f := fault.Fields{}
	cvv, code := acquirer.ParseCVV(f, "cvv", "7391"), acquirer.ParseCode(f, "otp", "73918264")
	pool := dbtest.New(t).Pool
	for _, value := range []any{cvv, &cvv, code, &code} {
		switch value.(type) {
		case driver.Valuer, encoding.TextMarshaler, encoding.BinaryMarshaler, fmt.Stringer, gob.GobEncoder:
			t.Errorf("%T has a form", value)
		}
		for _, kind := range []string{"text", "bytea", "jsonb", "bigint", "numeric"} {
			if _, err := pool.Exec(t.Context(), "select $1::"+kind, value); err == nil {
				t.Errorf("%T is stored as %s", value, kind)
			} else if strings.Contains(err.Error(), "7391") {
				t.Errorf("the error tells: %v", err)
			}
		}
		testenv.Check(t, gob.NewEncoder(io.Discard).Encode(value) != nil, "%T is encoded", value)
	}
}

func TestParseSecrets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]bool{ // whether it is a CVV, and a code
		"123": {true, false}, "1234": {true, true}, "12345": {false, true}, "12345678": {false, true}, "123456789": {false, false},
		"": {false, false}, "12": {false, false}, "12a4": {false, false}, " 1234": {false, false}, "-123": {false, false}, "١٢٣٤": {false, false},
	} {
		f := fault.Fields{}
		acquirer.ParseCVV(f, "cvv", text)
		acquirer.ParseCode(f, "otp", text)
		testenv.Want(t, [2]bool{!f.Wrong("cvv"), !f.Wrong("otp")}, want, "%q", text)
	}
}
