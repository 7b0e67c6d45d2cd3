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

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// cardRun takes cards all the ways there are, each time with other numbers. AZN payments go to a
// processor, RUB ones to the sandbox's acquirer and the desk.
type cardRun struct {
	*victim
	*canaries
	t       *testing.T
	answers text
}

// After every card's every way through a gateway with a process, a data directory and a PostgreSQL
// of its own, no log, metric, answer, table or file holds a PAN, a CVV or a code, and nothing
// sealed is left of a card but where it is to be used. What was erased is not gone: it stays in the
// heap until it is vacuumed, and in the write-ahead log and its archives. That is why nothing but
// ciphertext may ever be written, and why the files are searched, not only the tables.
func TestNothingOfCardsIsLeft(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	r := &cardRun{
		victim:   v,
		canaries: &canaries{pans: []string{"4000002500003155", "4000000000000002", "4000000000009995"}},
		t:        t,
	}
	// PostgreSQL compresses long values; compressed, nothing could be found in them.
	for _, plain := range r.texts(t, `select format('alter table %s alter column %I set storage external', attrelid::regclass, attname)
		from pg_attribute a join pg_class c on c.oid = attrelid
		where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped and attstorage = 'x'`) {
		r.exec(t, plain)
	}
	planted := r.plant()
	p := newCardProcessor(t, nil)
	r.setProcessor(t, p)
	for _, flow := range []func(){
		r.page, r.pageCodes, r.rest, r.connect, r.desk, r.resends, r.declined, r.cancelled, r.closed, r.malformed, r.misplaced,
	} {
		flow()
	}
	talked := r.talkative()
	r.sandboxCards()
	talked()
	r.saved()
	r.expires()

	both := &canaries{
		append(planted.pans, r.pans...),
		append(planted.cvvs, r.cvvs...),
		append(planted.codes, r.codes...),
	}
	found := r.searchAll(t, both, r.answers.String())
	r.findsPlanted(found, planted)
	mine := newHaystack(planted)
	for place, needles := range found {
		for _, needle := range needles {
			if len(mine.search([]byte(needle))) == 0 && !slices.Contains(planted.cvvs, needle) {
				t.Errorf("%s holds %q", place, needle)
			}
		}
	}
	t.Logf("%d PANs, %d CVVs, %d codes, %d places", len(r.pans), len(r.cvvs), len(r.codes), len(found))
	r.booksAgree()
	r.auditIsClean(t)
}

// plant puts values of the same kinds where callers may put what they like, and into a table that
// is dropped again.
func (r *cardRun) plant() *canaries {
	c := &canaries{}
	pan, cvv, code := c.pan("4"), c.cvv(), c.code("1")
	body := order(object{"orderId": pan, "description": strings.Join(append(written(code), cvv), " ")})
	headers := with(signed(r.first(), body), "X-Request-Id", "planted-"+pan)
	if got := send(r.t, http.MethodPost, r.BaseURL+payments, body, headers); got.status != 200 {
		r.t.Errorf("planted: %s", got)
	}
	malformed := with(signed(r.first(), "{"), "X-Request-Id", "planted-"+pan) // which is logged, too
	send(r.t, http.MethodPost, r.BaseURL+payments, "{", malformed)
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
		"log": {pan}, "public.payment": {pan, code, cvv}, "base": {pan, code}, "pg_wal": every,
	} {
		got := append(at[place], found[place]...)
		for _, needle := range wanted {
			if !slices.Contains(got, needle) {
				r.t.Errorf("the search does not find %q in %s", needle, place)
			}
		}
	}
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
	return got.text("data.id"), link[strings.LastIndex(link, "/")+1:]
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
	got, err := trySend(http.MethodPost, r.PayURL+"/pay/"+token+below, form.Encode(), header{
		"Content-Type": "application/x-www-form-urlencoded", "Origin": "null", "Sec-Fetch-Site": "same-origin",
	})
	noError(r.t, err)
	to, cookies := got.header.Get("Location"), got.header.Values("Set-Cookie")
	if got.status != http.StatusSeeOther || strings.Contains(to, "wrong=") != wrong {
		r.t.Errorf("%s %v: %d, to %s", below, fields, got.status, to)
	}
	_, _ = fmt.Fprintln(&r.answers, got.raw, to, cookies)
	var sealed []string
	for _, cookie := range cookies {
		pair, _, _ := strings.Cut(cookie, ";")
		sealed = append(sealed, pair)
	}
	got, err = trySend(
		http.MethodGet,
		r.PayURL+strings.TrimPrefix(to, r.PayURL),
		"",
		header{"Cookie": strings.Join(sealed, "; ")},
	)
	if noError(r.t, err); got.status != http.StatusOK {
		r.t.Errorf("%s leads to %s: %d", below, to, got.status)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(got.raw))
	noError(r.t, err)
	page.Find(".tests").Remove() // the sandbox's own cards
	shown, err := page.Html()
	noError(r.t, err)
	_, _ = r.answers.Write([]byte(shown + "\n"))
}

func (r *cardRun) ends(token, status string) {
	r.t.Helper()
	if got := r.awaitCheckout(r.t, token, "isTerminal", "true"); got.text("data.paymentStatus") != status {
		r.t.Errorf("%s; want %s", got, status)
	}
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
		typed := &gatewayv1.SubmitPayerDetailsRequest{
			Token:    token,
			Pan:      r.pan("4"),
			ExpMonth: "1",
			ExpYear:  "20",
			Cvv:      r.cvv(),
		}
		if _, err := payer.SubmitPayerDetails(r.t.Context(), connect.NewRequest(typed)); err == nil {
			r.t.Error("an expired card is taken")
		}
		typed = &gatewayv1.SubmitPayerDetailsRequest{
			Token:    token,
			Pan:      r.pan("4"),
			ExpMonth: "1",
			ExpYear:  "35",
			Cvv:      r.cvv(),
		}
		_, err := payer.SubmitPayerDetails(r.t.Context(), connect.NewRequest(typed))
		noError(r.t, err)
		long, code := r.code("1")+"1", r.code("1")
		if _, err = payer.SubmitPayerOtp(
			r.t.Context(),
			connect.NewRequest(&gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &long}),
		); err == nil {
			r.t.Error("nine digits are taken")
		}
		_, err = payer.SubmitPayerOtp(
			r.t.Context(),
			connect.NewRequest(&gatewayv1.SubmitPayerOtpRequest{Token: token, Otp: &code}),
		)
		noError(r.t, err)
		r.ends(token, "completed")
	}
}

// desk has a trader ask for the code, not ask for one, confirm, and cancel.
func (r *cardRun) desk() {
	ctx := r.t.Context()
	id, token := r.create("sandbox-rub", nil)
	r.card(token, r.pan("4"))
	desk := r.instance.desk(r.traderOf(r.t, id).Token)
	_, err := desk.RequestCode(ctx, connect.NewRequest(&portalv1.RequestCodeRequest{PaymentId: number(id)}))
	noError(r.t, err)
	r.otp(token, r.code("1"))
	_, err = desk.ConfirmReceived(ctx, connect.NewRequest(&portalv1.ConfirmReceivedRequest{PaymentId: number(id)}))
	noError(r.t, err)

	id, token = r.create("sandbox-rub", nil)
	r.card(token, r.pan("4"))
	desk = r.instance.desk(r.traderOf(r.t, id).Token)
	_, err = desk.MarkCodeNotNeeded(ctx, connect.NewRequest(&portalv1.MarkCodeNotNeededRequest{PaymentId: number(id)}))
	noError(r.t, err)
	_, err = desk.ListPayments(ctx, connect.NewRequest(&portalv1.ListPaymentsRequest{}))
	noError(r.t, err)
	_, err = desk.CancelPayment(ctx, connect.NewRequest(&portalv1.CancelPaymentRequest{PaymentId: number(id)}))
	noError(r.t, err)
}

// resends has trader and merchant ask for the code again; codes come before and after.
func (r *cardRun) resends() {
	id, token := r.create("sandbox-azn", nil)
	r.card(token, r.pan("6"))
	r.otp(token, r.code("1"))
	_, err := r.instance.desk(r.traderOf(r.t, id).Token).RequestCodeResend(r.t.Context(),
		connect.NewRequest(&portalv1.RequestCodeResendRequest{PaymentId: number(id)}))
	noError(r.t, err)
	r.otp(token, r.code("1"))
	r.advance(r.t, 45*time.Second)
	address := r.BaseURL + payments + "/" + id + "/quasi-ecom/resend-code"
	if got := send(r.t, http.MethodPost, address, "{}", signed(r.box(r.t, "sandbox-azn"), "{}")); got.status != 200 {
		r.t.Errorf("resend: %s", got)
	}
	r.otp(token, r.code("1"))
}

// sandboxCards are those whose numbers the sandbox's acquirer knows. One is given a code before it
// needs one.
func (r *cardRun) sandboxCards() {
	for _, pan := range []string{"4000000000000002", "4000000000009995"} {
		_, token := r.create("sandbox-rub", nil)
		r.declinedCards(token, func() string { return pan })
	}
	_, token := r.create("sandbox-rub", nil)
	r.card(token, "4000002500003155")
	for _, code := range []string{r.code("1"), r.code("1"), "123456"} {
		r.otp(token, code)
		if code != "123456" {
			r.awaitCheckout(r.t, token, "lastError", "code_rejected")
		}
	}
	r.ends(token, "completed")
}

func (r *cardRun) declined() {
	_, token := r.create("sandbox-azn", nil)
	r.declinedCards(token, func() string { return r.pan("2") })
}

// declinedCards gives as many cards as may be tried, which are all declined.
func (r *cardRun) declinedCards(token string, pan func() string) {
	r.t.Helper()
	for n := range 3 {
		r.card(token, pan())
		if n < 2 {
			r.awaitCheckout(r.t, token, "phase", "awaiting_payer_details")
		}
	}
	r.ends(token, "failed")
}

func (r *cardRun) cancelled() {
	_, token := r.create("sandbox-azn", nil)
	r.card(token, r.pan("4"))
	r.step(token, "cancel", "")
	_, token = r.create("sandbox-azn", nil)
	r.post(token, "/card", "pan", r.pan("6"), "expiry", "12/35", "cvv", r.cvv())
	r.post(token, "/cancel")
	r.ends(token, "cancelled")
}

// closed gives card and code to a link whose payment has ended.
func (r *cardRun) closed() {
	_, token := r.create("sandbox-azn", nil)
	r.step(token, "cancel", "")
	if got := r.card(token, r.pan("5")); got.text("code") != "checkout_closed" {
		r.t.Errorf("closed: %s", got)
	}
	r.otp(token, r.code("1"))
}

// malformed bodies break off, or are wrong, just where the card is.
func (r *cardRun) malformed() {
	_, token := r.create("sandbox-azn", nil)
	const procedure = "/gateway.v1.CheckoutService/SubmitPayerDetails"
	for _, body := range []string{
		`{"pan":"%[1]s`, `{"pan":"%[1]s",,"cvv":"%[2]s"}`, `{"pan":%[1]s,"cvv":%[2]s1}`, `{"pan":["%[1]s"],"cvv":{"cvv":"%[2]s"}}`,
		`"%[1]s"`, `{"%[1]s":"%[2]s"}`, `{"pan":"%[1]s","pan":"%[1]s","cvv":"%[2]s"}`, `{"pan":"%[1]s\u0000","cvv":"%[2]s\ud800"}`,
		`{"number":"%[1]s","cvc":"%[2]s"}`, "{\"pan\":\"%[1]s\xff\",\"cvv\":\"%[2]s\"}", `pan=%[1]s&cvv=%[2]s`, `{"pan":"%[1]s"}{"cvv":"%[2]s"}`,
		`{"pan":"%[1]s","cvv":"%[2]s","cardHolder":"` + strings.Repeat("A", 70_000) + `"}`,
		`{"pan":"` + strings.Repeat("%[1]s", 5_000) + `","cvv":"%[2]s"}`,
	} {
		content := fmt.Sprintf(body, r.pan("5"), r.cvv())
		if got := r.step(token, "payer-details", content); got.status != 422 && got.status != 413 {
			r.t.Errorf("%.60s: %s", content, got)
		}
		for _, kind := range []string{"application/json", "application/proto", "text/plain"} {
			got, err := trySend(http.MethodPost, r.BaseURL+procedure, content, header{"Content-Type": kind})
			noError(r.t, err)
			_, _ = r.answers.Write([]byte(got.raw + "\n"))
			if _, err = trySend(
				http.MethodPost,
				r.PayURL+"/pay/"+token+"/card",
				content,
				header{"Content-Type": kind},
			); err != nil {
				r.t.Error(err)
			}
		}
	}
	for _, body := range []string{`{"otp":["%s"]}`, `{"otp":%s}`, `{"otp":"%s`, `{"otp":"%s9"}`, `{"code":"%s"}`} {
		r.step(token, "payer-otp", fmt.Sprintf(body, r.code("1")))
	}
}

// misplaced puts cards where none belong: into other fields, addresses, headers, other calls.
func (r *cardRun) misplaced() {
	_, token := r.create("sandbox-azn", nil)
	for _, field := range []string{"expMonth", "expYear", "cvv", "cardHolder"} {
		if got := r.step(
			token,
			"payer-details",
			typedCard(r.pan("5"), object{"cvv": r.cvv(), field: r.pan("5")}),
		); !slices.Equal(
			got.fields(),
			[]string{field},
		) {
			r.t.Errorf("a number as %s: %s", field, got)
		}
	}
	number := r.pan("5")
	grouped := number[:4] + " " + number[4:8] + " " + number[8:12] + " " + number[12:]
	if got := r.step(
		token,
		"payer-details",
		typedCard(r.pan("5"), object{"cvv": r.cvv(), "cardHolder": "ANNA " + grouped}),
	); got.status != 422 {
		r.t.Errorf("a number in the name: %s", got)
	}
	r.otp(token, r.pan("5"))
	for _, address := range []string{
		r.BaseURL + "/api/v1/checkout/" + r.pan("5"), r.BaseURL + "/api/v1/checkout/" + token + "?pan=" + r.pan("5") + "&cvv=" + r.cvv(),
		r.BaseURL + "/" + r.pan("5"), r.PayURL + "/pay/" + r.pan("5"), r.PayURL + "/pay/" + token + "?pan=" + r.pan("5"),
		r.BaseURL + payments + "/" + r.pan("5"), r.PortalURL + "/" + r.pan("5"),
	} {
		_, err := trySend(
			http.MethodGet,
			address,
			"",
			header{
				"Referer":    "https://shop.example/" + r.pan("5"),
				"Cookie":     "pan=" + r.pan("5"),
				"User-Agent": r.pan("5"),
			},
		)
		noError(r.t, err)
	}
	r.create(
		"sandbox-azn",
		object{"card": object{"pan": r.pan("5"), "cvv": r.cvv()}, r.pan("5"): r.cvv(), "pan": r.pan("5")},
	)
}

// saved pays with a card that is kept, and has it forgotten. While it is kept it is there, sealed.
func (r *cardRun) saved() {
	payer := object{"payer": object{"userId": "payer"}}
	_, first := r.create("sandbox-azn", payer)
	r.post(first, "/card", "pan", r.pan("5"), "expiry", "12/35", "cvv", r.cvv(), "cardHolder", "ANNA B", "keep", "on")
	r.ends(first, "completed")
	_, again := r.create("sandbox-azn", payer)
	saved, _ := r.instance.page(r.t, r.PayURL+"/pay/"+again).Find("input[name=card]").Attr("value")
	r.mistake(again, "", "cvv", r.cvv()+"x", "card", saved)
	r.post(again, "", "cvv", r.cvv(), "card", saved)
	r.ends(again, "completed")
	if n := r.sealed("status = 'completed'"); n == 0 {
		r.t.Error("no card was kept")
	}
	_, last := r.create("sandbox-azn", payer)
	r.post(last, "/forget")
	r.post(last, "", "cvv", r.cvv(), "card", saved)
	if n := r.sealed("status <> 'pending'"); n != 0 {
		r.t.Errorf("%d cards are sealed after they were to be forgotten", n)
	}
}

// expires leaves a card open until its time is over; nothing sealed is left of any then.
func (r *cardRun) expires() {
	_, token := r.create("sandbox-azn", nil)
	r.card(token, r.pan("6"))
	if n := r.sealed("status = 'pending'"); n == 0 {
		r.t.Error("no card is sealed while its payment is open")
	}
	r.advance(r.t, 15*time.Minute)
	r.ends(token, "failed")
	if n := r.sealed("true"); n != 0 {
		r.t.Errorf("%d ended payments have a sealed card", n)
	}
}

// sealed counts the payments of a kind with anything sealed of a card in their row.
func (r *cardRun) sealed(kind string) int {
	r.t.Helper()
	return r.count(r.t, `select count(*) from payment_card c join payment p on p.id = c.payment_id
		where coalesce(c.pan, c.expiry, c.holder) is not null and `+kind)
}

// booksAgree compares the sandbox's acquirer's book with ours.
func (r *cardRun) booksAgree() {
	r.t.Helper()
	for _, line := range r.texts(r.t, `select format('payment %s is %s, its attempt %s, the acquirer has %s, voided %s', p.id, p.status, a.status, s.script, s.voided)
		from payment p left join card_attempt a on a.payment_id = p.id left join sandbox_acquirer s on s.attempt_id = a.id
		where p.method = 'mtstpay' and (p.status = 'completed' and (s.attempt_id is null or s.voided or s.script not in ('approve', 'code', 'desk'))
		   or p.status in ('failed', 'cancelled') and s.script in ('approve', 'desk') and not s.voided)`) {
		r.t.Error(line)
	}
}
