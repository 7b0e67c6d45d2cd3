package acceptance

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// statusesInWebhooks: each of the five, in capitals.
func statusesInWebhooks(t *testing.T, w *instance) {
	orderID := newOrder()
	id := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id")
	want := []string{"FAILED", "COMPLETED", "APPEAL", "CANCELLED", "PENDING"}
	for _, status := range want {
		w.callback(t, id, `{"status":"`+strings.ToLower(status)+`"}`)
	}
	var told []string
	for _, l := range w.inbox.letters(t, orderID, len(want)) {
		told = append(told, l.text("data.status"))
	}
	if !slices.Equal(slices.Sorted(slices.Values(told)), slices.Sorted(slices.Values(want))) {
		t.Errorf("told %v", told)
	}
}

// anyStatusFollowsAny, as decided; the same again is no change.
func anyStatusFollowsAny(t *testing.T, w *instance) {
	every := []string{"pending", "completed", "failed", "cancelled", "appeal"}
	id := w.create(t, w.first(), nil).text("data.id")
	for _, from := range every {
		for _, to := range every {
			w.callback(t, id, `{"status":"`+from+`"}`)
			got := w.callback(t, id, `{"status":"`+to+`"}`)
			got.want(t, fmt.Sprintf("%s to %s", from, to), 200, "data.status", to, "data.callbackQueued",
				fmt.Sprint(from != to))
		}
	}
}

// creationTellsNothing: the first a merchant hears of a payment is its first change.
func creationTellsNothing(t *testing.T, w *instance) {
	told := w.told(t, func(id string) { w.callback(t, id, `{"status":"failed"}`) })
	has("meta.sequence", "1")(t, told.answer)
	const first = `select count(*) from webhook_event where sequence = 1 and convert_from(body, 'UTF8') like '%"status":"PENDING"%'
		and convert_from(body, 'UTF8') like '%"type":"payment.status.updated"%'`
	testenv.Want(t, w.count(t, first), 0, "first events of pending payments")
}

func webhookIsAPost(t *testing.T, w *instance) {
	told := w.told(t, func(id string) { w.callback(t, id, `{"status":"failed"}`) })
	if told.method != http.MethodPost || !strings.HasPrefix(told.header.Get("Content-Type"), "application/json") ||
		told.header.Get("Webhook-Id") != told.text("eventId") {
		t.Errorf("%s %v %s", told.method, told.header, told.raw)
	}
	only("data", "uuid", "orderId", "status", "amount", "currency")(t, told.answer)
}

// webhooksAreSigned by both schemes.
func webhooksAreSigned(t *testing.T, w *instance) {
	told := w.told(t, func(id string) { w.callback(t, id, `{"status":"failed"}`) })
	secret := w.first().WebhookSecret
	verifier, err := standardwebhooks.NewWebhook(secret)
	noError(t, err)
	noError(t, verifier.Verify([]byte(told.raw), told.header))
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	noError(t, err)
	testenv.Want(t, told.header.Get("Signature"), signature(string(key), told.raw), "Signature")
}

// refusedWebhookComesAgain after 5 s, the same event.
func refusedWebhookComesAgain(t *testing.T, w *instance) {
	w.inbox.mu.Lock()
	w.inbox.statuses = []int{http.StatusInternalServerError}
	w.inbox.mu.Unlock()
	orderID := newOrder()
	id := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id")
	w.callback(t, id, `{"status":"failed"}`)
	w.inbox.letters(t, orderID, 1)
	testenv.Until(t, "the refusal is written down", func() bool { // until the refusal is written down
		return w.count(t, "select count(*) from webhook_attempt where status_code = 500") != 0
	})
	testenv.Want(t, len(w.inbox.letters(t, orderID, 1)), 1, "deliveries before the time")
	w.advance(t, 6*time.Second)
	both := w.inbox.letters(t, orderID, 2)
	if both[0].raw != both[1].raw || both[0].text("eventId") != both[1].text("eventId") {
		t.Errorf("%s, then %s", both[0].raw, both[1].raw)
	}
}

// reservedUntilExpiry: the requisite is taken while the payment waits; then the payment has failed
// and a late payer can appeal.
func reservedUntilExpiry(t *testing.T, w *instance) {
	orderID := newOrder()
	id := w.create(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL}).text("data.id")
	const slot = "select count(*) from requisite_slot where payment_id = $1::text::bigint and free_at = 'infinity'"
	if w.count(t, slot, id) != 1 {
		t.Error("nothing is reserved")
	}
	w.pass(t, 14*time.Minute)
	gives(signedGet(payments+"/"+id, firstKey), 200, is("data.status", "pending")).run(t, w)
	w.pass(t, time.Minute+time.Second)
	told := w.inbox.letters(t, orderID, 1)[0].answer
	is("data.status", "FAILED")(t, told)
	is("meta.reason", "expired")(t, told)
	gives(signedGet(payments+"/"+id, firstKey), 200, is("data.status", "failed"),
		is("data.statusReason", "expired")).run(t, w)
	if w.count(t, slot, id) != 0 {
		t.Error("it is still reserved")
	}
	gives(appealOf(id), 201).run(t, w)
}

// payoutsExpire when nobody takes them; one that was taken is left to the operators.
func payoutsExpire(t *testing.T, w *instance) {
	orderID := newOrder()
	w.createPayin(t, w.first(), object{"orderId": orderID, "callbackUri": w.inbox.URL})
	taken := w.createPayin(t, w.first(), nil).text("data.id")
	called(t, w.desk(w.user(t, "trader-2").Token).TakePayin, &portalv1.TakePayinRequest{PayinId: taken})
	w.pass(t, 24*time.Hour)
	is("data.status", "EXPIRED")(t, w.inbox.letters(t, orderID, 1)[0].answer)
	queue := called(t, w.operator(t).ListOverduePayins, &portalv1.ListOverduePayinsRequest{}).GetData()
	if len(queue) != 1 || queue[0].GetPayin().GetId() != taken {
		t.Errorf("overdue: %v", queue)
	}
	called(t, w.operator(t).ResolvePayin, &portalv1.ResolvePayinRequest{PayinId: taken, Outcome: "failed"})
	gives(signedGet(payins+"/"+taken, firstKey), 200, is("data.status", "failed")).run(t, w)
}

// traderShortOfUSDT: those who could take it have too little, so there is no requisite.
func traderShortOfUSDT(t *testing.T, w *instance) {
	var pays []string
	for range 200 { // the third trader has 10,000,000 USDT; 5,000,000 AZN are 2,941,176 of it, less their share
		got := newPayment.by("sandbox-azn").with("currency", `"AZN"`, "method", `"c2c"`, "amount", "5000000")(t, w)
		if got.status != 200 {
			got.want(t, "", 422, "code", "collect_requisites_not_available")
			break
		}
		pays = append(pays, got.text("data.id"))
	}
	if len(pays) != 3 {
		t.Errorf("%d payments of 5,000,000 AZN found a trader; want 3", len(pays))
	}
	for _, id := range pays {
		w.callback(t, id, `{"status":"cancelled"}`)
	}
}

// callsAreLimited to ten, where that is the limit.
func callsAreLimited(t *testing.T, _ *instance) {
	plan := fresh(t)
	altered(t, plan.database, "update rate_limit set calls = 10, per_seconds = 3600 where name = 'key'")
	g := plan.start(t)
	for n := range 11 {
		got := g.post(t, g.first(), "{")
		if want := map[bool]string{true: "422 validation_failed", false: "429 rate_limited"}[n < 10]; fmt.Sprint(
			got.status,
			" ",
			got.text("code"),
		) != want {
			t.Errorf("call %d: %s; want %s", n+1, got, want)
		}
		if n == 10 && got.header.Get("Retry-After") == "" {
			t.Errorf("it does not say when to come back: %v", got.header)
		}
	}
}

func largeBodies(t *testing.T, w *instance) {
	large := pad(`{"x":""}`, bodyLimit+1)
	refused(resendBy(cardKey, "{id}", large), 413, "body_too_large").run(t, w)
	for _, name := range []string{"payer-details", "payer-otp", "cancel"} {
		refused(step("{token}", name, large), 413, "body_too_large").run(t, w)
	}
	for path, signedBody := range map[string]string{payments: "{}", payins: "{}", deposits: "{}"} {
		refused(func(t *testing.T, w *instance) answer {
			return signedPost(path)(t, w, firstKey, pad(signedBody, bodyLimit+1))
		}, 413, "body_too_large").run(t, w)
	}
	refused(callbackOf("{payment}", pad(`{"status":"failed"}`, bodyLimit+1)), 413, "body_too_large").run(t, w)
	tooLarge := strings.Repeat("x", uploadLimit)
	refused(func(t *testing.T, w *instance) answer {
		return w.appeal(t, w.first(), w.ids["payment"], "x", "a.pdf", tooLarge)
	}, 413, "body_too_large").run(t, w)
}

func revokedKey(t *testing.T, w *instance) {
	made := newKey.with("name", `"to be revoked"`)(t, w)
	key := sandbox.Cashbox{KeyID: made.text("data.key_id"), Secret: made.text("secret")}
	gone := request(http.MethodDelete, portalKeys+"/"+made.text("data.id"), "",
		func(t *testing.T, w *instance) header { return bearer(w.user(t, "merchant").Token) })
	gives(gone, 200, is("data.status", "revoked")).run(t, w)
	testenv.Until(t, "the revoked key is refused", func() bool {
		return w.post(t, key, "{}").wrong(403, []string{"code", "invalid_signature"}) == ""
	})
}

func expiredToken(t *testing.T, w *instance) {
	token, id := w.newPayer(t, "payer-of-yesterday")
	w.exec(t, "update session set expires_at = now() - interval '1 second' where user_id = $1", id)
	refused(bareRequest(http.MethodGet, payments, "", bearer(token)), 401, "unauthenticated").run(t, w)
}
