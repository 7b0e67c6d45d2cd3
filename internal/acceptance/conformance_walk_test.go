package acceptance

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// described is what the payment that is kept was made with.
const described = `Two cups & a "saucer" / чашки`

// newWalk is a gateway to walk the documents on, and something made of everything there is.
func newWalk(t *testing.T) *instance {
	t.Helper()
	w := freshSandbox(t)
	w.inbox, w.answers = newShop(t, ""), map[string]answer{}
	w.ids["merchantCashbox"] = fmt.Sprint(w.first().MerchantCashboxID)
	w.ids["second"] = fmt.Sprint(w.box(t, "sandbox-second-rub").MerchantCashboxID)
	w.ids["bridgeless"] = fmt.Sprint(w.box(t, "sandbox-without-bridge").MerchantCashboxID)
	w.ids["whole"], w.ids["inbox"] = wholeForm, w.inbox.URL
	w.ids["second_box"], w.ids["azn_box"] = w.ids["second"], fmt.Sprint(w.box(t, cardKey).MerchantCashboxID)
	w.ids["legacy_box"] = fmt.Sprint(*w.LegacyKeys[0].MerchantCashboxID)
	w.answers["first credentials"] = tokenGet(portalKeys, "merchant")(t, w)
	w.makePayments(t)
	w.makeCheckouts(t)
	w.makeMoney(t)
	w.makeKeys(t)
	return w
}

func (w *instance) makePayments(t *testing.T) {
	t.Helper()
	payer := object{"userId": w.user(t, "payer").Login}
	w.answers["bare payment"] = w.create(t, w.first(), object{"payer": payer})
	payment := w.create(t, w.first(), object{"description": described, "callbackUri": w.inbox.URL, "payer": payer})
	id := payment.text("data.id")
	w.keep("payment", payment)
	w.ids["uuid"], w.ids["order"] = payment.text("data.uuid"), payment.text("data.orderId")
	w.ids["spare"] = w.create(t, w.first(), nil).text("data.id") // for calls of the callback that only have to be taken
	w.answers["card payment"] = w.create(t, w.first(), object{"method": "card"})
	w.answers["read"] = signedGet("/api/v1/payments/{payment}", firstKey)(t, w)
	for _, who := range []string{"operator", "payer", w.traderOf(t, id).Login} {
		w.answers["read by "+strings.TrimRight(who, "-123")] = tokenGet("/api/v1/payments/{payment}", who)(t, w)
	}
	w.answers["list"] = tokenGet(payments+"?limit=1", "payer")(t, w)
	w.answers["signed list"] = signedGet(payments+"?orderId={order}", firstKey)(t, w)
	w.answers["callback"] = w.callback(t, id, `{"status":"failed","providerPaymentId":"p-1","reason":"why"}`)
	w.answers["event"] = w.inbox.letters(t, payment.text("data.orderId"), 1)[0].answer
	w.answers["appeal"] = w.appeal(t, w.first(), id, "Оплачено в 12:00\nсм. чек", `../чек №1 "копия".pdf`, pdf)
}

func (w *instance) makeMoney(t *testing.T) {
	t.Helper()
	payin := w.createPayin(t, w.first(),
		object{"code": "044525225", "bankName": "Sample Bank", "callbackUri": w.inbox.URL})
	w.answers["payin"], w.ids["payin"] = payin, payin.text("data.id")
	deposit := w.createDeposit(t, w.first(), object{"externalReference": "reference"})
	w.answers["deposit"], w.ids["deposit"] = deposit, deposit.text("data.id")
	called(t, w.operator(t).SetInsurance, &portalv1.SetInsuranceRequest{
		MerchantCashboxId: w.first().MerchantCashboxID, Amount: "50",
	})
	w.answers["balance"] = signedGet("/api/v1/cashboxes/{merchantCashbox}/balance", firstKey)(t, w)
}

const portalKeys = "/api/merchant-portal/merchant-cashboxes/{merchantCashbox}/api-credentials"

func (w *instance) makeKeys(t *testing.T) {
	t.Helper()
	made := newKey.with("name", `"Web shop"`)(t, w)
	w.answers["credential"], w.ids["made_key"], w.ids["made_secret"] = made, made.text("data.key_id"), made.text("secret")
	w.answers["credentials"] = tokenGet(portalKeys, "merchant")(t, w)
}

// told makes a payment, has move change it, and returns the webhook of that.
func (w *instance) told(t *testing.T, move func(id string)) letter {
	t.Helper()
	orderID := newOrder()
	move(w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id"))
	return w.inbox.letters(t, orderID, 1)[0]
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

// signature is the documented one, reckoned here: hex HMAC-SHA256.
func signature(secret, message string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(message))
	return hex.EncodeToString(mac.Sum(nil))
}

func apiIsOff(t *testing.T, w *instance) {
	w.switched(t, "merchant set api_enabled", 403, "merchant_api_disabled")
}

func collectIsOff(t *testing.T, w *instance) {
	w.switched(t, "cashbox set collect_enabled", 403, "merchant_collect_disabled")
}

func requisitesAreOff(t *testing.T, w *instance) {
	w.switched(t, "requisite set enabled", 422, "collect_requisites_not_available")
}

// switched turns something off, wants a creation refused as long as it is, and turns it on again. What
// is known of keys may be a second old.
func (w *instance) switched(t *testing.T, update string, status int, code string) {
	t.Helper()
	for _, off := range []bool{true, false} {
		w.exec(t, "update "+update+fmt.Sprint(" = ", !off))
		testenv.Until(t, fmt.Sprintf("it is refused with %d %s: %t", status, code, off), func() bool {
			return (newPayment.with()(t, w).wrong(status, []string{"code", code}) == "") == off
		})
	}
}
