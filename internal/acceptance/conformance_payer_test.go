package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

var payerSections = []section{
	{`What payers do`, []row{
		{`- A declined card leaves the payment pending, phase awaiting_payer_details, lastError the reason,
			for up to 3 cards a payment (a setting of the cashbox's method, 1 to 10), each an attempt of its own;
			the last decline fails it, reason its own. A form filled in wrongly never counts.`,
			all(do(anotherCard), do(howManyCards))},
		{`- payer-details takes saveCard (boolean, default true): without consent the card is not offered for
			the payer's next payment.`,
			all(newCard.takes("saveCard", "true", "false", "null", ""),
				newCard.rejects("saveCard", `"true"`, "1", "0", "[]", "{}"), do(keptWithConsent))},
		{`- payment create takes returnUrl (optional; https, in the sandbox also http to loopback; its host
			among the cashbox's return_hosts when that list is not empty; else 422 naming returnUrl). Reads show it
			as returnUrl, null when there is none. A repeat with another is the same payment, and no mismatch.`,
			all(newPayment.takes("returnUrl", "", "null", `"https://shop.example/thanks?order=1"`,
				`"http://localhost:3000/"`),
				newPayment.rejects("returnUrl", `""`, "1", "true", `[]`, `{}`, `"shop.example"`,
					`"http://shop.example/"`, `"javascript:alert(1)"`, `"https://user@shop.example/"`,
					`"https://shop.example/`+strings.Repeat("x", 2048)+`"`),
				field("payment", "data.returnUrl", null),
				field("read", "data.returnUrl", null),
				do(returnIsShown),
				do(returnHosts))},
		{`- "I have paid" on /r/ is kept as payerClaimedAt, null before. Once, it moves expiresAt to at least
			claim_seconds (default 900) ahead, and a cashbox whose payer_events is on gets payment.payer.claimed:
			data as in payment.status.updated, the status unchanged, its own sequence number. Repeating changes
			nothing.`,
			all(field("payment", "data.payerClaimedAt", null), field("read", "data.payerClaimedAt", null),
				do(claimIsKept), do(claimIsTold))},
		{`- A payer may send up to 3 receipts on the page (PDF, PNG, JPEG, WebP, 10 MiB each) from the claim
			until 24 h after an unpaid end. Trader, merchant's portal and operator read them; a merchant's portal
			user opens the appeal with one.`, do(receipts)},
		{`- An operator sets banks by currency; the page opens a bank's app with requisite and amount, or
			says what to do in it.`, do(banks)},
		{`- The payer may have the code sent again from the page, by the rules of resend-code;
			codeResendLastBy stays merchant.`, do(payerResends)},
	}},
}

const declinedCard, poorCard = "4000000000000002", "4000000000009995"

// anotherCard: two are declined, for reasons of their own. One payer's third is not; another's is,
// and there is no fourth, as the sandbox is made.
func anotherCard(t *testing.T, w *instance) {
	lucky, luckyToken := w.cardPayment(t, nil)
	unlucky, unluckyToken := w.cardPayment(t, nil)
	payers := map[string]string{luckyToken: lucky.text("data.id"), unluckyToken: unlucky.text("data.id")}
	declines := []struct{ pan, reason string }{{declinedCard, "card_declined"}, {poorCard, "insufficient_funds"}}
	for n, declined := range declines {
		for token := range payers {
			refused(step(token, "payer-details", newCard.body("cvv", `"1"`)), 422, "validation_failed", "cvv").run(t, w)
			gives(step(token, "payer-details", typedCard(declined.pan, nil)), 200).run(t, w)
		}
		for token, id := range payers {
			w.awaitCheckout(t, token, "lastError", declined.reason)
			gives(step(token, "", ""), 200, is("data.phase", "awaiting_payer_details"),
				is("data.paymentStatus", "pending"), has("data.isTerminal", exactly("false"))).run(t, w)
			gives(signedGet(payments+"/"+id, cardKey), 200, is("data.status", "pending"),
				has("data.statusReason", null), is("data.payerRequisites.cardLast4", declined.pan[12:]),
				lacks("data.payerRequisites.cardHolder")).run(t, w)
			const attempts = "select count(*) from card_attempt where payment_id = $1::text::bigint"
			testenv.Want(t, w.count(t, attempts, id), n+1, "attempts after card %d", n+1)
		}
	}
	gives(step(luckyToken, "payer-details", typedCard(approvedCard, nil)), 200, has("data.lastError", null)).run(t, w)
	gives(step(unluckyToken, "payer-details", typedCard(poorCard, nil)), 200, has("data.lastError", null)).run(t, w)
	w.awaitCheckout(t, luckyToken, "paymentStatus", "completed")
	w.wantNoMoreCards(t, payers[unluckyToken], unluckyToken)
}

// wantNoMoreCards waits until a payment has failed for its last card, and wants another refused.
func (w *instance) wantNoMoreCards(t *testing.T, id, token string) {
	t.Helper()
	w.awaitCheckout(t, token, "paymentStatus", "failed")
	gives(signedGet(payments+"/"+id, cardKey), 200, is("data.statusReason", "insufficient_funds")).run(t, w)
	refused(step(token, "payer-details", newCard.body()), 422, "checkout_closed").run(t, w)
}

// howManyCards: a setting makes it one, and another keeps it within bounds.
func howManyCards(t *testing.T, w *instance) {
	set := func(cards *int32) error {
		_, err := w.operator(t).SetCashboxMethod(t.Context(), connect.NewRequest(&portalv1.SetCashboxMethodRequest{
			MerchantCashboxId: w.box(t, cardKey).MerchantCashboxID, Method: "quasi_ecom",
			Enabled: true, MarginPercent: "4.5", ValiditySeconds: 900, Cards: cards,
		}))
		return err
	}
	for _, wrong := range []int32{0, 11, -1} {
		if _, code, fields := connectFault(t, set(&wrong)); code != "validation_failed" ||
			strings.Join(fields, " ") != "cards" {
			t.Errorf("%d cards: %s %v", wrong, code, fields)
		}
	}
	one, three := int32(1), int32(3)
	noError(t, set(&one))
	// What is left out stays, so that both payers have one card.
	payers := map[string]string{}
	for range 2 {
		w.awaitSettings(t)
		created, token := w.cardPayment(t, nil)
		gives(step(token, "payer-details", typedCard(poorCard, nil)), 200).run(t, w)
		payers[token] = created.text("data.id")
		noError(t, set(nil))
	}
	for token := range payers { // both, for a refusal is to change nothing
		w.awaitCheckout(t, token, "paymentStatus", "failed")
	}
	for token, id := range payers {
		w.wantNoMoreCards(t, id, token)
	}
	noError(t, set(&three))
	w.awaitSettings(t)
}

// keptWithConsent: the next payment's page offers the card, unless the payer said no.
func keptWithConsent(t *testing.T, w *instance) {
	type keeper struct {
		player object
		token  string
	}
	var keepers []keeper
	said := []object{nil, {"saveCard": true}, {"saveCard": false}}
	for _, more := range said {
		player := object{"payer": object{"userId": fmt.Sprint("keeper-", newOrder())}}
		_, token := w.cardPayment(t, player)
		gives(step(token, "payer-details", typedCard(approvedCard, more)), 200).run(t, w)
		keepers = append(keepers, keeper{player, token})
	}
	for i, offered := range []int{1, 1, 0} {
		w.awaitCheckout(t, keepers[i].token, "paymentStatus", "completed")
		again, _ := w.cardPayment(t, keepers[i].player)
		found := w.page(t, again.text("data.checkoutUrl")).Find("[data-saved-card]").Length()
		testenv.Want(t, found, offered, "cards offered to who said %v", said[i])
	}
}

// returnIsShown, as it was given; a repeat keeps the first.
func returnIsShown(t *testing.T, w *instance) {
	const address = "https://shop.example:8443/thanks?order=1&b=%D1%8F#top"
	order := strconv.Quote(newOrder())
	made := newPayment.with("orderId", order, "returnUrl", strconv.Quote(address))(t, w)
	is("data.returnUrl", address)(t, made)
	gives(signedGet(payments+"/"+made.text("data.id"), firstKey), 200, is("data.returnUrl", address)).run(t, w)
	for _, other := range []string{"", `"https://elsewhere.example/"`} {
		gives(newPayment.with("orderId", order, "returnUrl", other), 200, is("data.returnUrl", address),
			has("data.id", exactly(made.text("data.id"))), says("Idempotent-Replay", "true"),
			says("Idempotent-Mismatch", "")).run(t, w)
	}
}

// returnHosts: once the cashbox names hosts, payers go back to those alone.
func returnHosts(t *testing.T, w *instance) {
	const key = "sandbox-second-rub"
	set := func(hosts ...string) error {
		_, err := w.operator(t).UpdateCashbox(t.Context(), connect.NewRequest(&portalv1.UpdateCashboxRequest{
			MerchantCashboxId: w.box(t, key).MerchantCashboxID, ReturnHosts: &portalv1.ReturnHosts{Hosts: hosts},
		}))
		return err
	}
	order := strconv.Quote(newOrder())
	returning := func(pairs ...string) call { return newPayment.by(key).with(pairs...) }
	gives(returning("orderId", order, "returnUrl", `"https://elsewhere.example/"`), 200).run(t, w)
	if _, code, fields := connectFault(t, set("https://shop.example/")); code != "validation_failed" ||
		strings.Join(fields, " ") != "returnHosts" {
		t.Errorf("%s %v", code, fields)
	}
	noError(t, set("shop.example"))
	w.awaitSettings(t)
	gives(returning("returnUrl", `"https://Shop.example/a"`), 200,
		is("data.returnUrl", "https://Shop.example/a")).run(t, w)
	gives(returning(), 200, has("data.returnUrl", null)).run(t, w)
	for _, wrong := range []string{"https://elsewhere.example/", "https://www.shop.example/", "http://localhost/"} {
		refused(returning("returnUrl", strconv.Quote(wrong)), 422, "validation_failed", "returnUrl").run(t, w)
	}
	gives(returning("orderId", order, "returnUrl", `"https://elsewhere.example/b"`), 200,
		is("data.returnUrl", "https://elsewhere.example/"), says("Idempotent-Replay", "true")).run(t, w)
	noError(t, set())
	w.awaitSettings(t)
	gives(returning("returnUrl", `"https://elsewhere.example/"`), 200).run(t, w)
}

// claims presses the button of the page of a payment.
func (w *instance) claims(t *testing.T, made answer) {
	t.Helper()
	got := fetched(t, http.MethodPost, made.text("data.paymentPageUrl")+"/paid", url.Values{}.Encode(), header{
		"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
	})
	if got.status != http.StatusSeeOther {
		t.Errorf("the page answers %d", got.status)
	}
}

// claimIsKept with its time, and the payment waits for at least 900 seconds from then on, or for as
// long as before if that is longer.
func claimIsKept(t *testing.T, w *instance) {
	for _, test := range []struct {
		method string
		longer bool
	}{{"sbp", true}, {"card", false}} { // 15 minutes, and 20
		made := newPayment.with("method", strconv.Quote(test.method))(t, w)
		read := func() answer { return signedGet(payments+"/"+made.text("data.id"), firstKey)(t, w) }
		has("data.payerClaimedAt", null)(t, read())
		w.claims(t, made)
		first := read()
		is("data.status", "pending")(t, first)
		at, err := time.Parse(time.RFC3339, first.text("data.payerClaimedAt"))
		noError(t, err)
		until := first.text("data.expiresAt")
		expires, err := time.Parse(time.RFC3339, until)
		noError(t, err)
		if ahead := expires.Sub(at); ahead < 900*time.Second-time.Millisecond ||
			test.longer && ahead > 900*time.Second+time.Millisecond ||
			!test.longer && until != made.text("data.expiresAt") {
			t.Errorf("%s: expires %s, claimed at %s, at first %s", test.method, until, at, made.text("data.expiresAt"))
		}
		w.claims(t, made)
		if again := read(); again.raw != first.raw {
			t.Errorf("a repeat: %s, then %s", first, again)
		}
	}
}

// claimIsTold where the cashbox wants it, and nowhere else.
func claimIsTold(t *testing.T, w *instance) {
	const key = "sandbox-second-rub"
	tell := func(on bool) {
		t.Helper()
		called(t, w.operator(t).UpdateCashbox, &portalv1.UpdateCashboxRequest{
			MerchantCashboxId: w.box(t, key).MerchantCashboxID, PayerEvents: &on,
		})
		w.awaitSettings(t)
	}
	events := func() (answer, []letter) {
		t.Helper()
		made := newPayment.by(key).with("callbackUri", strconv.Quote(w.inbox.URL))(t, w)
		w.claims(t, made)
		w.claims(t, made)
		w.callback(t, made.text("data.id"), `{"status":"completed"}`)
		order := made.text("data.orderId")
		letters := w.inbox.letters(t, order, 1)
		if letters[0].text("type") == "payment.payer.claimed" || letters[0].text("meta.sequence") != "1" {
			letters = w.inbox.letters(t, order, 2)
		}
		return made, letters
	}
	_, quiet := events()
	is("type", "payment.status.updated")(t, quiet[0].answer)
	has("meta.sequence", exactly("1"))(t, quiet[0].answer)
	tell(true)
	made, told := events()
	tell(false)
	claimed, completed := told[0].answer, told[1].answer
	if claimed.text("meta.sequence") != "1" {
		claimed, completed = completed, claimed
	}
	for _, e := range []expectation{
		is("type", "payment.payer.claimed"),
		only("", "type", "eventId", "createdAt", "data", "meta"),
		only("data", "uuid", "orderId", "status", "amount", "currency"),
		is("data.uuid", made.text("data.uuid")),
		is("data.status", "PENDING"),
		is("meta.previousStatus", "PENDING"),
		has("meta.sequence", exactly("1")),
	} {
		e(t, claimed)
	}
	is("data.status", "COMPLETED")(t, completed)
	has("meta.sequence", exactly("2"))(t, completed)
}

// payerResends on the page: it counts as the merchant's, who is not told of it, and is as little
// possible before the card and too early as theirs.
func payerResends(t *testing.T, w *instance) {
	created, token := w.cardPayment(t, nil)
	press := func() {
		t.Helper()
		got := fetched(t, http.MethodPost, w.PayURL+"/pay/"+token+"/resend", url.Values{}.Encode(), header{
			"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
		})
		if got.status >= http.StatusInternalServerError {
			t.Errorf("the page answers %d", got.status)
		}
	}
	press()
	gives(step(token, "", ""), 200, has("data.codeResendCount", exactly("0")),
		is("data.phase", "awaiting_payer_details")).run(t, w)
	gives(step(token, "payer-details", newCard.body()), 200).run(t, w)
	for range 2 { // of which the second comes too early
		press()
		gives(step(token, "", ""), 200, is("data.phase", "awaiting_payer_otp"),
			has("data.codeResendCount", exactly("1")), has("data.attemptsLeft", exactly("2")),
			is("data.codeResendLastBy", "merchant"), has("data.nextAllowedAt", dateTime)).run(t, w)
	}
	refused(resendOf(created.text("data.id")), 429, "code_resend_too_early").run(t, w)
}
