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

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

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

// A program that was away finds everything again: its events, payments, payouts and deposits by time, status and
// their own ids, page by page, and nothing of another merchant.
func TestSignedLists(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	eventsByCursor(t, g)
	box, other := g.box(t, "sandbox-second-rub"), g.first()
	g.createPayin(t, other, nil)
	g.createDeposit(t, other, nil)
	made := map[string][]answer{}
	for range 3 {
		for path, create := range map[string]func(testing.TB, sandbox.Cashbox, object) answer{
			payments: g.create, payins: g.createPayin, deposits: g.createDeposit,
		} {
			made[path] = append([]answer{create(t, box, nil)}, made[path]...)
		}
	}
	g.callback(t, made[payments][1].text("data.id"), `{"status":"completed"}`)
	_, err := g.trigger("payin.completed", made[payins][2].text("data.id"))
	noError(t, err)
	hour := func(by int) string { return time.Now().Add(time.Duration(by) * time.Hour).UTC().Format(time.RFC3339) }
	for _, test := range []struct{ path, query, want string }{
		{payments, "", "0 1 2"},
		{payments, "status=completed", "1"},
		{payments, "from=" + hour(-1) + "&to=" + hour(1), "0 1 2"},
		{payments, "to=" + hour(-1), ""},
		{payments, "limit=1", "0 1 2"},
		{payments, "method=card", ""},
		{payments, "orderId=" + made[payments][0].text("data.orderId"), "0"},
		{payins, "status=completed", "2"},
		{payins, "from=" + hour(1), ""},
		{payins, "limit=2", "0 1 2"},
		{payins, "orderId=" + made[payins][1].text("data.orderId"), "1"},
		{payins, "order_id=" + made[payins][1].text("data.orderId"), "1"},
		{deposits, "status=rejected", ""},
		{deposits, "to=" + hour(1), "0 1 2"},
		{deposits, "limit=2", "0 1 2"},
		{deposits, "idempotencyKey=" + made[deposits][1].text("data.idempotencyKey"), "1"},
	} {
		query, err := url.ParseQuery(test.query)
		noError(t, err)
		var want []string
		for at := range strings.FieldsSeq(test.want) {
			want = append(want, made[test.path][number(at)].text("data.id"))
		}
		if got := g.pages(t, box, test.path, query); !slices.Equal(got, want) {
			t.Errorf("%s %s: %v, want %v", test.path, test.query, got, want)
		}
	}
	// An item is as its read shows it.
	for _, path := range []string{payins, deposits} {
		read := send(t, http.MethodGet, g.BaseURL+path+"/"+made[path][0].text("data.id"), "", signed(box, ""))
		listed := g.signedList(t, box, path, url.Values{"limit": {"1"}}).at("data").([]any)[0]
		testenv.Want(t, asJSON(t, listed), asJSON(t, read.at("data")), "%s", path)
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
func eventsByCursor(t *testing.T, g *instance) {
	box, s := g.first(), newShop(t, g.first().WebhookSecret)
	if got := g.signedList(t, box, "/api/v1/events", nil); got.raw != `{"data":[],"next_cursor":null}` {
		t.Errorf("before the first: %s", got)
	}
	orderIDs := []string{newOrder(), newOrder(), newOrder()}
	sent := map[string]letter{}
	for _, orderID := range orderIDs {
		id := g.create(t, box, object{"orderId": orderID, "callbackUri": s.URL}).text("data.id")
		g.callback(t, id, `{"status":"completed"}`)
		sent[orderID] = s.await(t, orderID, 1)[0]
	}
	testenv.Until(t, "the deliveries are written down", func() bool { // which comes a moment after their answers
		return g.count(t, "select count(*) from webhook_attempt") == len(orderIDs)
	})
	first := g.signedList(t, box, "/api/v1/events", url.Values{"limit": {"2"}})
	cursor := first.text("next_cursor")
	rest := g.signedList(t, box, "/api/v1/events", url.Values{"cursor": {cursor}})
	items := append(first.at("data").([]any), rest.at("data").([]any)...)
	if len(items) != 3 || rest.text("next_cursor") == cursor {
		t.Fatalf("two pages: %s\n%s", first, rest)
	}
	for i, item := range items {
		event, want := answer{body: item.(object)}, sent[orderIDs[i]]
		if event.text("id") != want.text("eventId") || event.text("type") != "payment.status.updated" ||
			event.at("created_at") != nil || event.text("payload") != want.raw ||
			event.text("status") != "delivered" || event.at("createdAt") == nil {
			t.Errorf("event %d: %v; sent %s", i, item, want.raw)
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
