package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A repeat answers with the same payment in its present state, and says in which fields it differs
// from the first call.
func TestRepeats(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	first := g.create(t, g.first(), object{"orderId": orderID})
	id := first.text("data.id")
	for _, test := range []struct {
		more     object
		mismatch string
	}{
		{object{}, ""},
		{object{"amount": json.Number("1500.0")}, ""}, // the same amount, written otherwise
		{object{"orderId": " " + orderID + " "}, ""},
		{object{"description": "another"}, ""},
		{object{"amount": "1500.01"}, "amount"},
		{object{"callbackUri": "https://shop.example/other"}, "callbackUri"},
		{object{"amount": 2, "callbackUri": "https://other.example/"}, "amount,callbackUri"},
		{object{"rubCollect": object{"method": "sbp"}, "method": "card"}, ""},
		{object{"rubCollect": object{}}, ""},
		{object{"rubCollect": object{"method": nil}}, ""},
	} {
		more := object{"orderId": orderID}
		for name, value := range test.more {
			more[name] = value
		}
		got := g.create(t, g.first(), more)
		if got.text("data.id") != id || got.header.Get("Idempotent-Replay") != "true" ||
			got.header.Get("Idempotent-Mismatch") != test.mismatch ||
			got.raw != first.raw {
			t.Errorf("%v: %v %s", test.more, got.header, got)
		}
	}
	// Another channel, and another merchant, have the order id to themselves.
	for name, other := range map[string]answer{
		"channel":  g.create(t, g.first(), object{"orderId": orderID, "method": "card"}),
		"merchant": g.create(t, g.box(t, "sandbox-second-rub"), object{"orderId": orderID}),
	} {
		if other.text("data.id") == id || other.header.Get("Idempotent-Replay") != "" {
			t.Errorf("another %s: %s", name, other)
		}
	}
	// Another cashbox of the same merchant does not.
	if same := g.create(t, g.box(t, "sandbox-payments-only"), object{"orderId": orderID}); same.text("data.id") != id {
		t.Errorf("another cashbox: %s", same)
	}
	g.callback(t, id, `{"status":"cancelled"}`)
	if later := g.create(t, g.first(), object{"orderId": orderID}); later.text("data.status") != "cancelled" ||
		later.text("data.id") != id {
		t.Errorf("after it was cancelled: %s", later)
	}
}

// Of 200 identical calls at the same time exactly one creates; all answer with it.
func TestParallelRepeats(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const calls = 200
	orderID := newOrder()
	body := order(object{"orderId": orderID})
	answers, failed := make([]answer, calls), make([]error, calls)
	var calling sync.WaitGroup
	for i := range calls {
		calling.Go(func() {
			answers[i], failed[i] = trySend(http.MethodPost, g.BaseURL+payments, body, signed(g.first(), body))
		})
	}
	calling.Wait()
	fresh := 0
	for i, got := range answers {
		if failed[i] != nil || got.status != 200 || got.text("data.id") != answers[0].text("data.id") {
			t.Fatalf("call %d: %v %s", i, failed[i], got)
		}
		if got.header.Get("Idempotent-Replay") == "" {
			fresh++
		}
	}
	if rows := g.count(t, "select count(*) from payment where order_id = $1", orderID); rows != 1 || fresh != 1 {
		t.Errorf("%d payments, %d answers that are no replay", rows, fresh)
	}
	g.moved(t, answers[0].text("data.id"), "trader available -15.97297297", "trader reserved 15.97297297")
}

// A refused call occupies no order id.
func TestRefusedLeavesOrderFree(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	body := order(object{"orderId": orderID, "amount": "5000000.01"})
	g.post(t, g.first(), body).must(t, "over the limit", 422)
	if got := g.create(t, g.first(), object{"orderId": orderID}); got.header.Get("Idempotent-Replay") != "" {
		t.Errorf("the order id was taken by a refused call: %v", got.header)
	}
}

// A type with a parameter, or in capitals, is JSON too.
func TestTypesOfJSON(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for _, contentType := range []string{"application/json; charset=utf-8", "Application/JSON"} {
		body := order(nil)
		send(t, "POST", g.BaseURL+payments, body,
			with(signed(g.first(), body), "Content-Type", contentType)).want(t, contentType, 200)
	}
}

// Signed over the canonical form of a body that is sent otherwise.
func TestCanonicalSignature(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	sent := fmt.Sprintf(
		"{ \"orderId\" : %q,\n\"amount\":100.10, \"currency\":\"RUB\",\"method\":\"sbp\", \"callbackUri\":\"https:\\/\\/shop.example\\/\" }",
		orderID,
	)
	for _, amount := range []string{"100.10", "100.1"} {
		canonical := fmt.Sprintf(
			`{"orderId":%q,"amount":%s,"currency":"RUB","method":"sbp","callbackUri":"https://shop.example/"}`, orderID,
			amount)
		headers := signed(g.first(), canonical)
		headers["Signature"] = strings.ToUpper(headers["Signature"])
		send(t, "POST", g.BaseURL+payments, sent, headers).want(t, "signed with "+amount, 200, "data.amount", "100.10")
	}
}
