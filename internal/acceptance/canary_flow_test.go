package acceptance

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/PuerkitoBio/goquery"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// cardRun takes cards all the ways there are, each time with other numbers. AZN payments go to a
// processor, RUB ones to the sandbox's acquirer and the desk.
type cardRun struct {
	*instance
	*canaries
	t       *testing.T
	answers text
	// spans are those that it exports, links the tokens of the payments' pages.
	spans *collector
	links []string
}

// After every card's every way through a gateway with a process, a data directory and a PostgreSQL
// of its own, no log, metric, answer, table or file holds a PAN, a CVV or a code, and nothing
// sealed is left of a card but where it is to be used. What was erased is not gone: it stays in the
// heap until it is vacuumed, and in the write-ahead log and its archives. That is why nothing but
// ciphertext may ever be written, and why the files are searched, not only the tables.
func TestNothingOfCardsIsLeft(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	c := newCollector(t)
	r := &cardRun{
		instance: setup{variables: c.variables("1000")}.start(t),
		canaries: &canaries{pans: []string{"4000002500003155", "4000000000000002", "4000000000009995"}},
		t:        t,
		spans:    c,
	}
	r.last4s = r.texts(t, "select distinct last4 from requisite where last4 like '0%'")
	// PostgreSQL compresses long values; compressed, nothing could be found in them.
	for _, plain := range r.texts(t, `select format('alter table %s alter column %I set storage external', attrelid::regclass, attname)
		from pg_attribute a join pg_class c on c.oid = attrelid
		where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and attstorage = 'x'`) {
		r.exec(t, plain)
	}
	planted := r.plant()
	p := newCardProcessor(t, nil)
	r.setProcessor(t, p)
	some := []func(){r.page, r.rest, r.desk, r.malformed}
	all := append(some, r.pageCodes, r.declined, r.connect, r.resends, r.cancelled, r.closed, r.misplaced)
	for _, flow := range testenv.Pick(t, some, all) {
		flow()
	}
	talked := r.talkative()
	r.sandboxCards()
	r.traders()
	talked()
	r.saved()
	r.expires()

	both := &canaries{
		pans: append(planted.pans, r.pans...), cvvs: append(planted.cvvs, r.cvvs...),
		codes: append(planted.codes, r.codes...), requisites: r.requisites,
	}
	found := r.searchAll(t, both, r.answers.String())
	r.spansHoldNothing(both)
	r.findsPlanted(found, planted)
	mine := newHaystack(planted)
	for place, needles := range found {
		for _, needle := range needles {
			testenv.Check(t, len(mine.search([]byte(needle))) != 0 || slices.Contains(planted.cvvs, needle),
				"%s holds %q", place, needle)
		}
	}
	t.Logf("%d PANs, %d CVVs, %d codes, %d places", len(r.pans), len(r.cvvs), len(r.codes), len(found))
	r.booksAgree()
	r.wantAudit(t)
	// A sandbox that is stopped has a ledger too: its server is started for the audit, and stopped after it.
	noError(t, r.stop())
	for range 2 {
		out, status := program(t, "audit", "-data-dir", r.dir)
		wantExit(t, "stopped", out, status, 0, "clean", `database "gateway"`)
	}
}

// plant puts values of the same kinds where callers may put what they like, and into a table that
// is dropped again.
func (r *cardRun) plant() *canaries {
	c := &canaries{last4s: r.last4s}
	pan, cvv, code := c.pan("4"), c.cvv(), c.code("1")
	body := order(object{"orderId": pan, "description": strings.Join(append(written(code), cvv), " ")})
	headers := with(signed(r.first(), body), "X-Request-Id", "planted-"+pan)
	got := send(r.t, http.MethodPost, r.BaseURL+payments, body, headers)
	testenv.Check(r.t, got.status == 200, "planted: %s", got)
	malformed := with(signed(r.first(), "{"), "X-Request-Id", "planted-"+pan) // which is logged, without it
	send(r.t, http.MethodPost, r.BaseURL+payments, "{", malformed)
	_, _ = r.stderr.Write([]byte("planted " + c.pan("4") + "\n"))
	sum := sha256.Sum256([]byte(pan))
	r.exec(r.t, "create table planted (number bigint, amount numeric, hash bytea, cvv text, raw bytea, words text)")
	words := strings.Join(slices.Concat(writtenPAN(pan), written(code), namedCVV(cvv)[:8]), " ")
	for range 2 { // the end of a page may cut one of them in two
		r.exec(r.t, "insert into planted values ($1::text::bigint, $1::text::numeric, $2, $3, $4, $5)",
			pan, sum[:], cvv, []byte(namedCVV(cvv)[8]), words)
	}
	r.exec(r.t, "drop table planted")
	return c
}

// findsPlanted demands that the search has found what was planted: in tables, log, data files, and
// in every form in the write-ahead log, though its table is gone.
func (r *cardRun) findsPlanted(found map[string][]string, c *canaries) {
	r.t.Helper()
	at := map[string][]string{}
	for place, needles := range found {
		for _, kind := range []string{"pg_wal", "base"} {
			if strings.Contains(place, "/"+kind+"/") {
				at[kind] = append(at[kind], needles...)
			}
		}
	}
	pan, cvv, code := c.pans[0], c.cvvs[0], c.codes[0]
	every := slices.Concat(writtenPAN(pan), storedPAN(pan), written(code), namedCVV(cvv), []string{storedCVV(cvv)})
	for place, wanted := range map[string][]string{
		"log": {c.pans[1]}, "public.payment": {pan, code, cvv}, "base": {pan, code}, "pg_wal": every,
	} {
		got := append(at[place], found[place]...)
		for _, needle := range wanted {
			testenv.Check(r.t, slices.Contains(got, needle), "the search does not find %q in %s", needle, place)
		}
	}
	testenv.Check(r.t, !slices.Contains(found["log"], pan), "the log has a request's id that is a card number")
}

// create makes a payment and returns its id and its link's token.
func (r *cardRun) create(box string, more object) (string, string) {
	fields := object{"method": "quasi_ecom", "currency": "AZN", "amount": "100"}
	if box == "sandbox-rub" {
		fields = object{"method": "mtstpay", "amount": "100"}
	}
	maps.Copy(fields, more)
	got := r.instance.create(r.t, r.box(r.t, box), fields)
	link, _ := got.at("data.checkoutUrl").(string)
	token := link[strings.LastIndex(link, "/")+1:]
	r.links = append(r.links, token)
	return got.text("data.id"), token
}

// spansHoldNothing looks through the exported spans, in which also that is not what was planted.
func (r *cardRun) spansHoldNothing(c *canaries) {
	r.t.Helper()
	const last = "payment failed" // what expires is the last of the run
	testenv.Until(r.t, "the last span has come", func() bool {
		return len(r.spans.find(func(s *tracepb.Span) bool { return s.GetName() == last })) != 0
	})
	for _, wanted := range []string{"acquirer authorize", "acquirer code", "POST /pay/{token}/card"} {
		if len(r.spans.find(func(s *tracepb.Span) bool { return s.GetName() == wanted })) == 0 {
			r.t.Errorf("no span %q", wanted)
		}
	}
	r.spans.mu.Lock()
	defer r.spans.mu.Unlock()
	whole := r.spans.whole.String()
	for _, needle := range newHaystack(c).searchText(c, whole) {
		r.t.Errorf("a span holds %q", needle)
	}
	for _, token := range r.links {
		testenv.Check(r.t, !strings.Contains(whole, token), "a span holds the link %s", token)
	}
	r.t.Logf("%d spans", len(r.spans.spans))
}

// step is a call of the checkout's REST endpoints.
func (r *cardRun) step(token, step, body string) answer {
	got := r.checkout(r.t, token, step, body)
	_, _ = r.answers.Write([]byte(got.raw + "\n"))
	return got
}

func (r *cardRun) card(token, pan string) answer {
	return r.step(token, "payer-details", typedCard(pan, object{"cvv": r.cvv(), "cardHolder": "ANNA B"}))
}

func (r *cardRun) otp(token, code string) {
	r.step(token, "payer-otp", fmt.Sprintf(`{"otp":%q}`, code))
}

// post sends a page's form, as pairs of name and value, and opens the page that it leads to, as a
// browser does.
func (r *cardRun) post(token, below string, fields ...string) {
	r.t.Helper()
	r.sent(token, below, false, fields)
}

// mistake is post of a form that is filled in wrongly: the page it leads to says so.
func (r *cardRun) mistake(token, below string, fields ...string) {
	r.t.Helper()
	r.sent(token, below, true, fields)
}

func (r *cardRun) sent(token, below string, wrong bool, fields []string) {
	r.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	got := fetched(r.t, http.MethodPost, r.PayURL+"/pay/"+token+below, form.Encode(), header{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": "null", "Sec-Fetch-Site": "same-origin",
	})
	to, cookies := got.header.Get("Location"), got.header.Values("Set-Cookie")
	testenv.Check(r.t, got.status == http.StatusSeeOther && strings.Contains(to, "wrong=") == wrong,
		"%s %v: %d, to %s", below, fields, got.status, to)
	_, _ = fmt.Fprintln(&r.answers, got.raw, to, cookies)
	var sealed []string
	for _, cookie := range cookies {
		pair, _, _ := strings.Cut(cookie, ";")
		sealed = append(sealed, pair)
	}
	got = fetched(r.t, http.MethodGet, r.PayURL+strings.TrimPrefix(to, r.PayURL), "",
		header{"Cookie": strings.Join(sealed, "; ")})
	testenv.Check(r.t, got.status == http.StatusOK, "%s leads to %s: %d", below, to, got.status)
	page := testenv.Must(goquery.NewDocumentFromReader(strings.NewReader(got.raw)))(r.t)
	page.Find(".tests").Remove() // the sandbox's own cards
	shown := testenv.Must(page.Html())(r.t)
	_, _ = r.answers.Write([]byte(shown + "\n"))
}

func (r *cardRun) ends(token, status string) {
	r.t.Helper()
	got := r.awaitCheckout(r.t, token, "isTerminal", "true")
	testenv.Check(r.t, got.text("data.paymentStatus") == status, "%s; want %s", got, status)
}

// page types a card on the page: wrong in each field, then right, then once more.
func (r *cardRun) page() {
	_, token := r.create("sandbox-azn", nil)
	card := func(send func(string, string, ...string), expiry, cvv string) {
		send(token, "/card", "pan", r.pan("5"), "expiry", expiry, "cvv", cvv, "cardHolder", "ANNA B")
	}
	card(r.mistake, "12/35", r.cvv()+"x")
	card(r.mistake, "13/35", r.cvv())
	card(r.mistake, "01/20", r.cvv())
	r.mistake(token, "/card", "pan", r.pan("5")+"x", "expiry", "12/35", "cvv", r.cvv())
	r.mistake(token, "/card", "number", r.pan("5"), "security", r.cvv())
	card(r.post, "12/35", r.cvv())
	r.ends(token, "completed")
	card(r.post, "12/35", r.cvv())
}

func (r *cardRun) pageCodes() {
	_, token := r.create("sandbox-azn", nil)
	r.post(token, "/card", "pan", r.pan("4"), "expiry", "12/35", "cvv", r.cvv())
	r.mistake(token, "/code", "attempt", "0", "otp", r.code("1")+"9")
	for wrong := range 3 {
		r.awaitCheckout(r.t, token, "phase", "awaiting_payer_otp")
		r.post(token, "/code", "attempt", fmt.Sprint(wrong), "otp", r.code("0"))
	}
	r.ends(token, "failed")
	r.post(token, "/code", "attempt", "3", "otp", r.code("1"))
}

func (r *cardRun) rest() {
	for _, pan := range []string{"5", "4"} {
		_, token := r.create("sandbox-azn", nil)
		number := r.pan(pan)
		r.card(token, number[:4]+" "+number[4:8]+"-"+number[8:12]+" "+number[12:])
		if pan == "4" {
			r.awaitCheckout(r.t, token, "phase", "awaiting_payer_otp")
			r.otp(token, r.code("0"))
			r.otp(token, r.code("1"))
		}
		r.ends(token, "completed")
	}
}

func (r *cardRun) connect() {
	for _, options := range codecs {
		_, token := r.create("sandbox-azn", nil)
		payer := gatewayv1connect.NewCheckoutServiceClient(client, r.BaseURL, options...)
		typed := func(year string) *gatewayv1.SubmitPayerDetailsRequest {
			return &gatewayv1.SubmitPayerDetailsRequest{Token: token, Pan: r.pan("4"), ExpMonth: "1", ExpYear: year, Cvv: r.cvv()}
		}
		_, err := payer.SubmitPayerDetails(r.t.Context(), connect.NewRequest(typed("20")))
		testenv.Want(r.t, connect.CodeOf(err), connect.CodeInvalidArgument, "an expired card")
		called(r.t, payer.SubmitPayerDetails, typed("35"))
		long, code := r.code("1")+"1", r.code("1")
		_, err = payer.SubmitPayerOtp(r.t.Context(), connect.NewRequest(&gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &long}))
		testenv.Want(r.t, connect.CodeOf(err), connect.CodeInvalidArgument, "nine digits")
		called(r.t, payer.SubmitPayerOtp, &gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &code})
		r.ends(token, "completed")
	}
}

// desk has a trader ask for the code, not ask for one, confirm, and cancel.
func (r *cardRun) desk() {
	id, token := r.create("sandbox-rub", nil)
	r.card(token, r.pan("4"))
	r.trades(r.t, "RequestCode", id)
	r.otp(token, r.code("1"))
	r.trades(r.t, "ConfirmReceived", id)

	id, token = r.create("sandbox-rub", nil)
	r.card(token, r.pan("4"))
	r.trades(r.t, "MarkCodeNotNeeded", id)
	r.portal(r.t, r.traderOf(r.t, id).Token, "TraderService/ListPayments", "{}")
	r.trades(r.t, "CancelPayment", id)
}

// resends has trader and merchant ask for the code again; codes come before and after.
func (r *cardRun) resends() {
	id, token := r.create("sandbox-azn", nil)
	r.card(token, r.pan("6"))
	r.otp(token, r.code("1"))
	r.trades(r.t, "RequestCodeResend", id)
	r.otp(token, r.code("1"))
	r.advance(r.t, 45*time.Second)
	r.signedTo(r.t, payments+"/"+id+"/quasi-ecom/resend-code", r.box(r.t, "sandbox-azn"), "{}").want(r.t, "resend", 200)
	r.otp(token, r.code("1"))
}
