package acceptance

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

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
				is("data.paymentStatus", "pending"), has("data.isTerminal", "false")).run(t, w)
			gives(signedGet(payments+"/"+id, cardKey), 200, is("data.status", "pending"),
				has("data.statusReason", "null"), is("data.payerRequisites.cardLast4", declined.pan[12:]),
				lacks("data.payerRequisites.cardHolder")).run(t, w)
			const attempts = "select count(*) from card_attempt where payment_id = $1::text::bigint"
			testenv.Want(t, w.count(t, attempts, id), n+1, "attempts after card %d", n+1)
		}
	}
	gives(step(luckyToken, "payer-details", typedCard(approvedCard, nil)), 200, has("data.lastError", "null")).run(t, w)
	gives(step(unluckyToken, "payer-details", typedCard(poorCard, nil)), 200, has("data.lastError", "null")).run(t, w)
	w.awaitCheckout(t, luckyToken, "paymentStatus", "completed")
	w.wantNoMoreCards(t, payers[unluckyToken], unluckyToken)
	step(unluckyToken, "", "")(t, w).golden(t, "checkout_declined")
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
		_, why, fields := connectFault(t, set(&wrong))
		testenv.Want(t, fmt.Sprint(why, fields), "validation_failed[cards]", "%d cards", wrong)
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
		has("data.payerClaimedAt", "null")(t, read())
		w.claims(t, made)
		first := read()
		is("data.status", "pending")(t, first)
		at, err := time.Parse(time.RFC3339, first.text("data.payerClaimedAt"))
		noError(t, err)
		until := first.text("data.expiresAt")
		expires, err := time.Parse(time.RFC3339, until)
		noError(t, err)
		if ahead := expires.Sub(at); ahead < 900*time.Second-time.Millisecond || test.longer &&
			ahead > 900*time.Second+time.Millisecond || !test.longer && until != made.text("data.expiresAt") {
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
	has("meta.sequence", "1")(t, quiet[0].answer)
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
		has("meta.sequence", "1"),
	} {
		e(t, claimed)
	}
	is("data.status", "COMPLETED")(t, completed)
	has("meta.sequence", "2")(t, completed)
}
