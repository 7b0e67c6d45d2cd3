package acceptance

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/PuerkitoBio/goquery"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1client"
)

// cardRun takes cards all the ways there are, as cards.txt says. AZN payments
// go to a processor, RUB ones to the sandbox's acquirer and the desk.
type cardRun struct {
	*instance
	*canaries
	t       *testing.T
	answers text
	// spans are those that it exports, links the tokens of the payments'
	// pages.
	spans *collector
	links []string
}

// After every card's every way through a gateway with a process, a data
// directory and a PostgreSQL of its own, no log, metric, answer, table or file
// holds a PAN, a CVV or a code, and nothing sealed is left of a card but where
// it is to be used. What was erased is not gone: it stays in the heap until it
// is vacuumed, and in the write-ahead log and its archives. That is why nothing
// but ciphertext may ever be written, and why the files are searched, not only
// the tables.
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
	// PostgreSQL compresses long values; compressed, nothing could be found
	// in them.
	for _, plain := range r.texts(t, `select format('alter table %s alter column %I set storage external', attrelid::regclass, attname)
		from pg_attribute a join pg_class c on c.oid = attrelid
		where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and attstorage = 'x'`) {
		r.exec(t, plain)
	}
	planted := r.plant()
	p := newCardProcessor(t, nil)
	r.setProcessor(t, p)
	r.makesFresh()
	r.runs(t, cards, "page", "calls", "desk", "malformed")
	if testenv.Whole(t) {
		r.runs(t, cards, "page codes", "declined", "resends", "cancelled", "closed", "misplaced")
		r.connect()
	}
	talked := r.talkative()
	r.runs(t, cards, "the sandbox's cards", "one is declined")
	if testenv.Whole(t) {
		r.runs(t, cards, "one is declined", "the last is declined")
	}
	r.runs(t, cards, "the sandbox's codes", "traders")
	talked()
	r.runs(t, cards, "saved", "expires")

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
	// A sandbox that is stopped has a ledger too: its server is started for
	// the audit, and stopped after it.
	noError(t, r.stop())
	for range 2 {
		exits(t, 0, []string{"clean", `database "gateway"`}, "audit", "-data-dir", r.dir)
	}
}

const cards = "cards.txt"

// makesFresh has lines name new numbers, and keeps what payers are answered.
func (r *cardRun) makesFresh() {
	r.busy = true
	received := func(value string) string {
		r.requisites = append(r.requisites, strings.TrimPrefix(value, "+"))
		return value
	}
	grouped := func(digit, between string) func() string {
		return func() string {
			pan := r.pan(digit)
			return pan[:4] + " " + pan[4:8] + between + pan[8:12] + " " + pan[12:]
		}
	}
	sum := 7000 + rand.IntN(1000)
	r.fresh = map[string]func() string{
		"cvv": r.cvv, "mixed4": grouped("4", "-"), "mixed5": grouped("5", "-"), "spaced5": grouped("5", " "),
		"phone":     func() string { return received(fmt.Sprintf("+7912%03d%04d", rand.IntN(1000), 1000+rand.IntN(9000))) },
		"requisite": func() string { return received(randomPAN("4")) },
		"sum":       func() string { sum++; return fmt.Sprint(sum) },
	}
	for _, digit := range []string{"0", "1", "2", "4", "5", "6"} {
		r.fresh["pan"+digit] = func() string { return r.pan(digit) }
		r.fresh["code"+digit] = func() string { return r.code(digit) }
	}
	r.heard = func(row []string, got answer) {
		if link, made := got.at("data.checkoutUrl").(string); made {
			r.links = append(r.links, path.Base(link))
		}
		if strings.HasPrefix(row[0], "nobody") && strings.HasPrefix(row[1], "POST ") && !strings.Contains(row[1], " pay:") {
			_, _ = fmt.Fprintln(&r.answers, got.raw)
		}
	}
}

// linked makes a card payment, and returns its link's token.
func (r *cardRun) linked() string {
	_, token := r.cardPayment(r.t, nil)
	r.links = append(r.links, token)
	return token
}

// types sends a form of a payment's page, and opens the page that it leads to,
// as a browser does. A form that is filled in wrongly leads to one that says
// so.
func (w *instance) types(t *testing.T, rest string) string {
	token, rest, _ := strings.Cut(rest, " ")
	below, rest, _ := strings.Cut(rest, " ")
	how, fields, _ := strings.Cut(rest, " ")
	address := strings.TrimSuffix("/pay/"+token+below, "/")
	got := submitted(t, w.PayURL, address, testenv.Must(url.ParseQuery(fields))(t),
		header{"Origin": "null", "Sec-Fetch-Site": "same-origin"})
	to := got.header.Get("Location")
	if got.status != http.StatusSeeOther || strings.Contains(to, "wrong=") != (how == "wrong") {
		return fmt.Sprintf("%s, to %s", got, to)
	}
	opened := visited(t, w.PayURL+strings.TrimPrefix(to, w.PayURL), got.cookies())
	page := testenv.Must(goquery.NewDocumentFromReader(strings.NewReader(opened)))(t)
	page.Find(".tests").Remove() // the sandbox's own cards
	shown := testenv.Must(page.Html())(t)
	w.heard([]string{"nobody", "POST "}, answer{raw: fmt.Sprintln(got.raw, to, got.cookies(), shown)})
	return ""
}

// plant puts values of the same kinds where callers may put what they like, and
// into a table that is dropped again.
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

// findsPlanted demands that the search has found what was planted: in tables,
// log, data files, and in every form in the write-ahead log, though its table
// is gone.
func (r *cardRun) findsPlanted(found map[string][]string, c *canaries) {
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

// spansHoldNothing looks through the exported spans, in which also that is not
// what was planted.
func (r *cardRun) spansHoldNothing(c *canaries) {
	const last = "payment failed" // what expires is the last of the run
	testenv.Until(r.t, "the last span has come", func() bool {
		return len(r.spans.named(last)) != 0
	})
	for _, wanted := range []string{"acquirer authorize", "acquirer code", "POST /pay/{token}/card"} {
		testenv.Check(r.t, len(r.spans.named(wanted)) != 0, "no span %q", wanted)
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

func (r *cardRun) connect() {
	for _, options := range codecs {
		token := r.linked()
		payer := gatewayv1client.NewCheckoutServiceClient(client, r.BaseURL, options...)
		typed := func(year string) *gatewayv1.SubmitPayerDetailsRequest {
			return &gatewayv1.SubmitPayerDetailsRequest{Token: token, Pan: r.pan("4"), ExpMonth: "1", ExpYear: year, Cvv: r.cvv()}
		}
		_, err := payer.SubmitPayerDetails(r.t.Context(), typed("20"))
		testenv.Want(r.t, connect.CodeOf(err), connect.CodeInvalidArgument, "an expired card")
		called(r.t, payer.SubmitPayerDetails, typed("35"))
		long, code := r.code("1")+"1", r.code("1")
		_, err = payer.SubmitPayerOtp(r.t.Context(), &gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &long})
		testenv.Want(r.t, connect.CodeOf(err), connect.CodeInvalidArgument, "nine digits")
		called(r.t, payer.SubmitPayerOtp, &gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &code})
		got := r.awaitCheckout(r.t, token, "isTerminal", "true")
		testenv.Want(r.t, got.text("data.paymentStatus"), "completed", "by Connect")
	}
}

// booksAgree compares the sandbox's acquirer's book with ours.
func (r *cardRun) booksAgree() {
	for _, line := range r.texts(r.t, `select format('payment %s is %s, its attempt %s, the acquirer has %s, voided %s', p.id, p.status, a.status, s.script, s.voided)
		from payment p left join card_attempt a on a.payment_id = p.id left join sandbox_acquirer s on s.attempt_id = a.id
		where p.method = 'mtstpay' and (p.status = 'completed' and (s.attempt_id is null or s.voided or s.script not in ('approve', 'code', 'desk'))
		   or p.status in ('failed', 'cancelled') and s.script in ('approve', 'desk') and not s.voided)`) {
		r.t.Error(line)
	}
}
