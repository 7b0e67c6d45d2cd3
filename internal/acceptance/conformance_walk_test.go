package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

const (
	// described is what the payment that is kept was made with.
	described = `Two cups & a "saucer" / чашки`
	// deskCard is one of which the trader decides.
	deskCard = "4111111111111111"
	cardKey  = "sandbox-azn"
)

// newWalk is a gateway to walk the documents on, and something made of everything there is.
func newWalk(t *testing.T) *instance {
	t.Helper()
	w := freshSandbox(t)
	w.begin(t)
	w.answers["first credentials"] = w.reads(t, w.keysPath(), "merchant")
	w.makePayments(t)
	w.makeCheckouts(t)
	w.makeMoney(t)
	w.makeKeys(t)
	return w
}

// begin names what lines of testdata may say of a sandbox.
func (w *instance) begin(t *testing.T) {
	t.Helper()
	w.inbox = newShop(t, "")
	first, second := w.first(), fmt.Sprint(w.box(t, "sandbox-second-rub").MerchantCashboxID)
	for name, text := range map[string]string{
		"base_url": w.BaseURL, "pay_url": w.PayURL, "inbox": w.inbox.URL,
		"merchantCashbox": fmt.Sprint(first.MerchantCashboxID), "second": second, "second_box": second,
		"bridgeless": fmt.Sprint(w.box(t, "sandbox-without-bridge").MerchantCashboxID),
		"azn_box":    fmt.Sprint(w.box(t, cardKey).MerchantCashboxID),
		"legacy_box": fmt.Sprint(*w.LegacyKeys[0].MerchantCashboxID),
		"rub_secret": first.Secret, "merchant_password": w.user(t, "merchant").Password,
		"operator_password": w.user(t, "operator").Password,
		"legacy_password":   w.user(t, "merchant-legacy").Password, "portal_url": w.PortalURL,
		"spaced_signature": signature(first.Secret, `{"amount": 1}`),
		"hook_signature":   signature(first.WebhookSecret, `{"amount":1}`),
		"hour_ago":         time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"in_an_hour":       time.Now().Add(time.Hour).UTC().Format(time.RFC3339),
		"megabyte":         strings.Repeat("eHh4", 1<<18),
		"hta_form":         form(reasonPart("x"), filePart(`../чек №1 "копия".hta`, pdf)),
		"hta_name":         htaName, "moves": moved, "payment_id": "{payment_id}",
		"reference_form": form([2]string{`name="key"`, first.KeyID}, [2]string{`name="body"`, strings.Replace(
			newPayment.body(), `"orderId":"`, `"orderId":"by the reference","x":"`, 1)}),
		"whole": wholeForm, "paid_form": form(reasonPart("Оплачено\nв 12:00"), filePart("чек.pdf", pdf)),
		"receipt": form(filePart("receipt.pdf", pdf+"receipt")), "no_receipt": form(filePart("receipt.pdf", "no file")),
		// Links of banks have these in braces.
		"phone": "{phone}", "amount": "{amount}",
	} {
		w.ids[name] = text
	}
}

// readBy reads with a key.
func (w *instance) readBy(t testing.TB, box sandbox.Cashbox, path string) answer {
	t.Helper()
	return send(t, http.MethodGet, w.BaseURL+path, "", signed(box, ""))
}

// reads reads with a user's token.
func (w *instance) reads(t testing.TB, path, login string) answer {
	t.Helper()
	return send(t, http.MethodGet, w.BaseURL+path, "", bearer(w.user(t, login).Token))
}

func (w *instance) makePayments(t *testing.T) {
	t.Helper()
	payer := object{"userId": w.user(t, "payer").Login}
	w.answers["bare payment"] = w.create(t, w.first(), object{"payer": payer})
	payment := w.create(t, w.first(), object{"description": described, "callbackUri": w.inbox.URL, "payer": payer})
	w.keep("payment", payment)
	id, orderID := payment.text("data.id"), payment.text("data.orderId")
	w.ids["uuid"], w.ids["order"] = payment.text("data.uuid"), orderID
	w.ids["spare"] = w.create(t, w.first(), nil).text("data.id") // for calls of the callback that only have to be taken
	w.answers["card payment"] = w.create(t, w.first(), object{"method": "card"})
	w.answers["read"] = w.readBy(t, w.first(), payments+"/"+id)
	for _, who := range []string{"operator", "payer", w.traderOf(t, id).Login} {
		w.answers["read by "+strings.TrimRight(who, "-123")] = w.reads(t, payments+"/"+id, who)
	}
	w.answers["list"] = w.reads(t, payments+"?limit=1", "payer")
	w.answers["signed list"] = w.readBy(t, w.first(), payments+"?orderId="+orderID)
	w.answers["callback"] = w.callback(t, id, `{"status":"failed","providerPaymentId":"p-1","reason":"why"}`)
	w.answers["event"] = w.inbox.letters(t, orderID, 1)[0].answer
	w.answers["appeal"] = w.appeal(t, w.first(), id, "Оплачено в 12:00\nсм. чек", `../чек №1 "копия".pdf`)
}

// entered makes a card payment and enters a card of which the trader decides.
func (w *instance) entered(t *testing.T, more object) (id, token string) {
	t.Helper()
	created, token := w.cardPayment(t, more)
	w.checkout(t, token, "payer-details", typedCard(deskCard, nil)).must(t, "", http.StatusOK)
	return created.text("data.id"), token
}

// makeCheckouts keeps what is answered of two card payments: of one the merchant asks for the code
// again, of the other the trader does, and then has the money.
func (w *instance) makeCheckouts(t *testing.T) {
	t.Helper()
	box := w.box(t, cardKey)
	_, w.ids["no_card"] = w.cardPayment(t, nil)
	w.answers["mtstpay"] = w.create(t, w.first(), object{"method": "mtstpay"})

	created, token := w.cardPayment(t, object{"orderId": "cups-of-tea"})
	w.keep("quasi_ecom", created)
	id := created.text("data.id")
	w.ids["id"], w.ids["token"] = id, token
	w.answers["checkout"] = w.checkout(t, token, "", "")
	// Nothing else has these values: nothingElseOfTheCard and cardIsSealed look for them.
	w.answers["card"] = w.checkout(t, token, "payer-details",
		typedCard(deskCard, object{"expYear": "2047", "cvv": "0739", "cardHolder": "ANNA B"}))
	w.answers["read with card"] = w.readBy(t, box, payments+"/"+id)
	w.answers["code"] = w.checkout(t, token, "payer-otp", `{"otp":"73915046"}`)
	w.answers["resend"] = w.signedTo(t, payments+"/"+id+"/quasi-ecom/resend-code", box, "{}")
	w.answers["read with resend"] = w.readBy(t, box, payments+"/"+id)

	id, _ = w.entered(t, object{"orderId": "trader-resends", "callbackUri": w.inbox.URL})
	desk := w.desk(w.traderOf(t, id).Token)
	called(t, desk.RequestCodeResend, &portalv1.RequestCodeResendRequest{PaymentId: number(id)})
	w.answers["resend event"] = w.inbox.letters(t, "trader-resends", 1)[0].answer
	read := w.readBy(t, box, payments+"/"+id)
	w.answers["read with trader's resend"] = read
	w.keep("by_trader", read)
	w.ids["resent_at"] = read.text("data.quasiEcom.codeResendLastAt")
	called(t, desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(id)})
	w.answers["card event"] = w.inbox.letters(t, "trader-resends", 2)[1].answer
}

func (w *instance) makeMoney(t *testing.T) {
	t.Helper()
	payin := w.createPayin(t, w.first(),
		object{"code": "044525225", "bankName": "Sample Bank", "callbackUri": w.inbox.URL})
	w.answers["payin"], w.ids["payin"] = payin, payin.text("data.id")
	deposit := w.createDeposit(t, w.first(), object{"externalReference": "reference"})
	w.answers["deposit"], w.ids["deposit"] = deposit, deposit.text("data.id")
	box := w.first().MerchantCashboxID
	called(t, w.operator(t).SetInsurance, &portalv1.SetInsuranceRequest{MerchantCashboxId: box, Amount: "50"})
	w.answers["balance"] = w.readBy(t, w.first(), fmt.Sprintf("/api/v1/cashboxes/%d/balance", box))
}

func (w *instance) makeKeys(t *testing.T) {
	t.Helper()
	made := newKey.send(t, w, `{"name":"Web shop"}`)
	w.answers["credential"], w.ids["made_key"], w.ids["made_secret"] = made, made.text("data.key_id"), made.text("secret")
	w.answers["credentials"] = w.reads(t, w.keysPath(), "merchant")
}

func (w *instance) keysPath() string {
	return strings.TrimPrefix(w.credentials(w.first().MerchantCashboxID), w.BaseURL)
}

// pass lets time pass, and everything that is then over come to its end, so that nothing changes on
// its own afterwards.
func (w *instance) pass(t *testing.T, by time.Duration) {
	t.Helper()
	w.advance(t, by)
	const over = `with clock as (select now() + make_interval(secs => offset_seconds) as now from test_clock)
		select (select count(*) from payment, clock where status = 'pending' and expires_at <= clock.now)
			+ (select count(*) from payin, clock where status = 'waiting' and expires_at <= clock.now)`
	testenv.Until(t, "no payment or payout is over", func() bool { return w.count(t, over) == 0 })
}
