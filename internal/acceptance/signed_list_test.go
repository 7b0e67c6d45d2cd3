package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	"gateway.example/rpc/sign"
)

// signedLists are the lists that a merchant's key reads.
var signedLists = []string{"/api/v1/payments", "/api/v1/payins", "/api/v1/deposits", "/api/v1/events"}

// signedList reads a list by a key.
func (g *instance) signedList(t testing.TB, box sandbox.Cashbox, path string, query url.Values) answer {
	t.Helper()
	return send(t, http.MethodGet, g.BaseURL+path+"?"+query.Encode(), "", signed(box, ""))
}

// pages reads a list to its end and returns what each item has in a field.
func (g *instance) pages(t testing.TB, box sandbox.Cashbox, path string, query url.Values) []string {
	t.Helper()
	var all []string
	for {
		got := g.signedList(t, box, path, query)
		items, ok := got.at("data").([]any)
		if got.status != 200 || !ok {
			t.Fatalf("%s: %s", path, got)
		}
		for _, item := range items {
			all = append(all, fmt.Sprint(item.(object)["id"]))
		}
		next := got.text("next_cursor")
		if next == "<nil>" || next == query.Get("cursor") {
			return all
		}
		query.Set("cursor", next)
	}
}

// createDeposit asks for a deposit, which must be a success.
func (g *instance) createDeposit(t testing.TB, box sandbox.Cashbox) answer {
	t.Helper()
	made := g.postDeposit(t, box, depositOrder(nil)).must(t, "create", http.StatusCreated)
	return made
}

// A program that was away finds everything again: its payments, payouts and deposits by time, status and
// their own ids, page by page, and nothing of another merchant.
func TestSignedLists(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, other := g.first(), g.box(t, "sandbox-second-rub")
	var payment, payin, deposit, keys []string
	for range 3 {
		payment = append([]string{g.create(t, box, nil).text("data.id")}, payment...)
		payin = append([]string{g.createPayin(t, box, nil).text("data.id")}, payin...)
		made := g.createDeposit(t, box)
		deposit = append([]string{made.text("data.id")}, deposit...)
		keys = append([]string{made.text("data.idempotencyKey")}, keys...)
	}
	g.create(t, other, nil)
	g.createPayin(t, other, nil)
	g.createDeposit(t, other)
	g.callback(t, payment[1], `{"status":"completed"}`)
	_, err := g.trigger("payin.completed", payin[2])
	noError(t, err)

	hour := func(by int) string { return time.Now().Add(time.Duration(by) * time.Hour).UTC().Format(time.RFC3339) }
	orderOf := func(path, id string) string {
		return send(t, http.MethodGet, g.BaseURL+path+"/"+id, "", signed(box, "")).text("data.orderId")
	}
	for name, test := range map[string]struct {
		path  string
		query url.Values
		want  []string
	}{
		"payments":               {"/api/v1/payments", nil, payment},
		"payments by status":     {"/api/v1/payments", url.Values{"status": {"completed"}}, payment[1:2]},
		"payments since":         {"/api/v1/payments", url.Values{"from": {hour(-1)}, "to": {hour(1)}}, payment},
		"payments before":        {"/api/v1/payments", url.Values{"to": {hour(-1)}}, nil},
		"payments by pages":      {"/api/v1/payments", url.Values{"limit": {"1"}}, payment},
		"payments by method":     {"/api/v1/payments", url.Values{"method": {"card"}}, nil},
		"payments by order":      {"/api/v1/payments", url.Values{"orderId": {orderOf("/api/v1/payments", payment[0])}}, payment[:1]},
		"payouts":                {"/api/v1/payins", nil, payin},
		"payouts by status":      {"/api/v1/payins", url.Values{"status": {"completed"}}, payin[2:]},
		"payouts since":          {"/api/v1/payins", url.Values{"from": {hour(1)}}, nil},
		"payouts by pages":       {"/api/v1/payins", url.Values{"limit": {"2"}}, payin},
		"payouts by order":       {"/api/v1/payins", url.Values{"orderId": {orderOf("/api/v1/payins", payin[1])}}, payin[1:2]},
		"deposits":               {"/api/v1/deposits", nil, deposit},
		"deposits by status":     {"/api/v1/deposits", url.Values{"status": {"rejected"}}, nil},
		"deposits before":        {"/api/v1/deposits", url.Values{"to": {hour(1)}}, deposit},
		"deposits by pages":      {"/api/v1/deposits", url.Values{"limit": {"2"}}, deposit},
		"deposits by their key":  {"/api/v1/deposits", url.Values{"idempotencyKey": {keys[1]}}, deposit[1:2]},
		"deposits by no one's":   {"/api/v1/deposits", url.Values{"idempotencyKey": {"01890a5d-ac96-774b-bcce-b302099a8057"}}, nil},
		"deposits, other fields": {"/api/v1/deposits", url.Values{"x": {"y"}}, deposit},
	} {
		if test.query == nil {
			test.query = url.Values{}
		}
		if got := g.pages(t, box, test.path, test.query); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
	for _, path := range signedLists[:3] {
		if got := g.pages(t, other, path, url.Values{}); len(got) != 1 {
			t.Errorf("%s of another merchant: %v", path, got)
		}
	}
	// An item is as its read shows it.
	for path, id := range map[string]string{"/api/v1/payins": payin[0], "/api/v1/deposits": deposit[0]} {
		read := send(t, http.MethodGet, g.BaseURL+path+"/"+id, "", signed(box, ""))
		listed := g.signedList(t, box, path, url.Values{"limit": {"1"}}).at("data").([]any)[0]
		if got, want := asJSON(t, listed), asJSON(t, read.at("data")); got != want {
			t.Errorf("%s:\n%s\n%s", path, got, want)
		}
	}
}

func asJSON(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	noError(t, err)
	return string(text)
}

// After an outage a shop reads its events from its cursor on: each once, in their order, with the body
// that was sent.
func TestEventsByCursor(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, s := g.first(), newShop(t, g.first().WebhookSecret)
	if got := g.signedList(t, box, "/api/v1/events", nil); got.raw != `{"data":[],"next_cursor":null}` {
		t.Errorf("before the first: %s", got)
	}
	orderIDs := []string{newOrder(), newOrder(), newOrder()}
	sent := map[string]string{}
	for _, orderID := range orderIDs {
		id := g.create(t, box, object{"orderId": orderID, "callbackUri": s.URL}).text("data.id")
		g.callback(t, id, `{"status":"completed"}`)
		e := s.await(t, orderID, 1)[0]
		sent[orderID] = e.EventID
	}
	g.callback(t, g.create(t, g.box(t, "sandbox-second-rub"), nil).text("data.id"), `{"status":"failed"}`)

	first := g.signedList(t, box, "/api/v1/events", url.Values{"limit": {"2"}})
	cursor := first.text("next_cursor")
	rest := g.signedList(t, box, "/api/v1/events", url.Values{"cursor": {cursor}})
	items := append(first.at("data").([]any), rest.at("data").([]any)...)
	if len(items) != 3 || rest.text("next_cursor") == cursor {
		t.Fatalf("two pages: %s\n%s", first, rest)
	}
	for i, item := range items {
		event, want := answer{body: item.(object)}, sent[orderIDs[i]]
		if event.text("id") != want || event.text("type") != "payment.status.updated" ||
			event.at("created_at") != nil ||
			event.text("payload") != s.raw[want] ||
			event.text("status") != "delivered" ||
			event.at("createdAt") == nil {
			t.Errorf("event %d: %v; sent %s", i, item, s.raw[want])
		}
	}
	// At the end the cursor stays, and what comes later follows it.
	end := rest.text("next_cursor")
	empty := g.signedList(t, box, "/api/v1/events", url.Values{"cursor": {end}})
	if empty.raw != `{"data":[],"next_cursor":"`+end+`"}` {
		t.Errorf("at the end: %s", empty)
	}
	late := g.create(t, box, nil).text("data.id")
	g.callback(t, late, `{"status":"failed"}`)
	noError(t, testenv.Eventually(func() error {
		later := g.signedList(t, box, "/api/v1/events", url.Values{"cursor": {end}})
		if data := later.at("data").([]any); len(data) != 1 ||
			!strings.Contains(data[0].(object)["payload"].(string), `"status":"FAILED"`) {
			return fmt.Errorf("later: %s", later)
		}
		return nil
	}))
}

// Connect lists by the same handlers.
func TestSignedListsByConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	signing := &http.Client{
		Timeout:   testenv.Patience,
		Transport: sign.Transport(client.Transport, box.KeyID, box.Secret),
	}
	orderID := newOrder()
	payin := g.createPayin(t, box, object{"orderId": orderID}).text("data.id")
	made := g.createDeposit(t, box)
	key := made.text("data.idempotencyKey")
	for codec, options := range codecs {
		payins := gatewayv1connect.NewPayinServiceClient(signing, g.BaseURL, options...)
		list := called(t, payins.ListPayins, &gatewayv1.ListPayinsRequest{OrderId: &orderID})
		if data := list.GetData(); len(data) != 1 || data[0].GetId() != payin || list.NextCursor != nil {
			t.Errorf("%s: %v", codec, list)
		}
		deposits := gatewayv1connect.NewDepositServiceClient(signing, g.BaseURL, options...)
		found := called(t, deposits.ListDeposits, &gatewayv1.ListDepositsRequest{IdempotencyKey: &key})
		if data := found.GetData(); len(data) != 1 || fmt.Sprint(data[0].GetId()) != made.text("data.id") {
			t.Errorf("%s: %v", codec, found)
		}
		limit, zero := int32(1), int32(0)
		payments := called(t, g.merchantClient(box, options...).ListPayments,
			&gatewayv1.ListPaymentsRequest{Limit: &limit})
		if len(payments.GetData()) > 1 {
			t.Errorf("%s: %v", codec, payments)
		}
		events := gatewayv1connect.NewEventServiceClient(signing, g.BaseURL, options...)
		if _, err := events.ListEvents(t.Context(),
			connect.NewRequest(&gatewayv1.ListEventsRequest{Limit: &limit})); err != nil {
			t.Errorf("%s: %v", codec, err)
		}
		invalid(t, codec, events.ListEvents, &gatewayv1.ListEventsRequest{Limit: &zero}, "limit")
	}
}
