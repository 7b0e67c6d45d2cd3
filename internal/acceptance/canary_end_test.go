package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gateway.example/internal/testenv"
)

// sandboxCards are those whose numbers the sandbox's acquirer knows, which thinks for a second over
// each: it has them all at once. One is given a code before it needs one.
func (r *cardRun) sandboxCards() {
	_, withCode := r.create("sandbox-rub", nil)
	r.card(withCode, codeCard)
	r.otp(withCode, r.code("1"))
	declined := map[string]string{}
	for _, pan := range []string{declinedCard, poorCard} {
		_, declined[pan] = r.create("sandbox-rub", nil)
	}
	const cards = 3 // that may be tried
	for n := range testenv.Pick(r.t, 1, cards) {
		for pan, token := range declined {
			r.card(token, pan)
		}
		for _, token := range declined {
			if n+1 == cards {
				r.ends(token, "failed")
			} else {
				r.awaitCheckout(r.t, token, "phase", "awaiting_payer_details")
			}
		}
	}
	r.awaitCheckout(r.t, withCode, "lastError", "code_rejected")
	r.otp(withCode, r.code("1"))
	r.awaitCheckout(r.t, withCode, "lastError", "code_rejected")
	r.otp(withCode, "123456")
	r.ends(withCode, "completed")
}

// traders have phones and cards set, changed, read, and paid to. Only who is answered with one learns it.
func (r *cardRun) traders() {
	phone := fmt.Sprintf("+7912%03d%04d", rand.IntN(1000), 1000+rand.IntN(9000))
	sum := 7000 + rand.IntN(1000)
	for method, value := range map[string]string{"sbp": phone, "sim": phone, "card": randomPAN("4")} {
		r.requisites = append(r.requisites, strings.TrimPrefix(value, "+"))
		r.exec(r.t, "update requisite set enabled = false where method = $1 and currency = 'RUB'", method)
		id := r.operates(r.t, "CreateRequisite",
			fmt.Sprintf(`{"traderId":1,"currency":"RUB","method":%q,"value":%q}`, method, value)).text("data.id")
		r.operates(r.t, "UpdateRequisite", `{"requisiteId":`+id+`,"bank":"Another Bank"}`)
		whole := r.operates(r.t, "RevealRequisite", `{"requisiteId":`+id+`}`).text("value")
		if sum++; whole != value {
			r.t.Errorf("operators read %s of %s", whole, value)
		}
		made := r.instance.create(r.t, r.first(), object{"method": method, "amount": strconv.Itoa(sum)})
		testenv.Check(r.t, strings.Contains(made.raw, value), "the payer of %s is told %s", value, made.raw)
		r.callback(r.t, made.text("data.id"), `{"status":"completed"}`).want(r.t, "callback", http.StatusOK)
	}
}

// declined gives as many cards as may be tried, which are all declined.
func (r *cardRun) declined() {
	_, token := r.create("sandbox-azn", nil)
	for n := range 3 {
		r.card(token, r.pan("2"))
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
	got := r.card(token, r.pan("5"))
	testenv.Check(r.t, got.text("code") == "checkout_closed", "closed: %s", got)
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
			got := fetched(r.t, http.MethodPost, r.BaseURL+procedure, content, header{"Content-Type": kind})
			_, _ = r.answers.Write([]byte(got.raw + "\n"))
			if _, err := trySend(http.MethodPost, r.PayURL+"/pay/"+token+"/card", content,
				header{"Content-Type": kind}); err != nil {
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
		got := r.step(
			token,
			"payer-details",
			typedCard(r.pan("5"), object{"cvv": r.cvv(), field: r.pan("5")}),
		)
		testenv.Check(r.t, slices.Equal(got.fields(), []string{field}), "a number as %s: %s", field, got)
	}
	number := r.pan("5")
	grouped := number[:4] + " " + number[4:8] + " " + number[8:12] + " " + number[12:]
	got := r.step(token, "payer-details",
		typedCard(r.pan("5"), object{"cvv": r.cvv(), "cardHolder": "ANNA " + grouped}))
	testenv.Check(r.t, got.status == 422, "a number in the name: %s", got)
	r.otp(token, r.pan("5"))
	for _, address := range []string{
		r.BaseURL + "/api/v1/checkout/" + r.pan("5"), r.BaseURL + "/api/v1/checkout/" + token + "?pan=" + r.pan("5") + "&cvv=" + r.cvv(),
		r.BaseURL + "/" + r.pan("5"), r.PayURL + "/pay/" + r.pan("5"), r.PayURL + "/pay/" + token + "?pan=" + r.pan("5"),
		r.BaseURL + payments + "/" + r.pan("5"), r.PortalURL + "/" + r.pan("5"),
	} {
		_ = fetched(r.t,
			http.MethodGet,
			address,
			"",
			header{
				"Referer":    "https://shop.example/" + r.pan("5"),
				"Cookie":     "pan=" + r.pan("5"),
				"User-Agent": r.pan("5"),
			},
		)
	}
	r.create("sandbox-azn",
		object{"card": object{"pan": r.pan("5"), "cvv": r.cvv()}, r.pan("5"): r.cvv(), "pan": r.pan("5")})
}

// saved pays with a card that is kept, and has it forgotten. While it is kept it is there, sealed.
func (r *cardRun) saved() {
	payer := object{"payer": object{"userId": "payer"}}
	_, first := r.create("sandbox-azn", payer)
	r.post(first, "/card", "pan", r.pan("5"), "expiry", "12/35", "cvv", r.cvv(), "cardHolder", "ANNA B", "keep", "on")
	r.ends(first, "completed")
	_, again := r.create("sandbox-azn", payer)
	saved := r.savedCard(r.t, again)
	r.mistake(again, "", "cvv", r.cvv()+"x", "card", saved)
	r.post(again, "", "cvv", r.cvv(), "card", saved)
	r.ends(again, "completed")
	if n := r.sealed("status = 'completed'"); n == 0 {
		r.t.Error("no card was kept")
	}
	_, last := r.create("sandbox-azn", payer)
	r.post(last, "/forget")
	r.post(last, "", "cvv", r.cvv(), "card", saved)
	n := r.sealed("status <> 'pending'")
	testenv.Check(r.t, n == 0, "%d cards are sealed after they were to be forgotten", n)
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
	n := r.sealed("true")
	testenv.Check(r.t, n == 0, "%d ended payments have a sealed card", n)
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
