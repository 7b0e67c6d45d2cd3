package acceptance

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// newPayer makes a cabinet user of every merchant with a token, so that no other test makes
// payments of theirs.
func (g *instance) newPayer(t *testing.T, login string) (token string, id int64) {
	t.Helper()
	token = "token-of-" + login
	keepSecret(token)
	noError(t, g.pool.QueryRow(t.Context(), `with made as (
			insert into app_user (kind, login, password_hash, created_at) values ('cabinet', $1, '', now()) returning id
		) insert into session (hash, user_id, door, state, created_at, seen_at, expires_at)
		select sha256($2), id, 'api', 'whole', now(), now(), now() + interval '1 day' from made returning user_id`,
		login, []byte(token)).Scan(&id))
	g.exec(t, "insert into cabinet_merchant (user_id, merchant_id) select $1, id from merchant", id)
	return token, id
}

// list asks for payments by a query and headers.
func (g *instance) list(t *testing.T, query url.Values, headers header) answer {
	t.Helper()
	address := g.BaseURL + payments
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return send(t, "GET", address, "", headers)
}

// listedIDs are the ids in an answer.
func listedIDs(t *testing.T, got answer) []string {
	t.Helper()
	items, ok := got.at("data").([]any)
	if got.status != 200 || !ok {
		t.Fatal(got)
	}
	var all []string
	for _, item := range items {
		all = append(all, fmt.Sprint(item.(object)["id"]))
	}
	return all
}

// A cabinet user's list: the documented item, the pages, the filters.
func TestListPayments(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	login := "payer-of-list"
	token, userID := g.newPayer(t, login)
	if got := g.list(t, nil, bearer(token)); got.raw != `{"data":[],"next_cursor":null}` {
		t.Errorf("of nobody yet: %s", got)
	}
	var ids []string
	orderIDs := []string{newOrder(), newOrder(), newOrder()}
	for i, payer := range []string{login, fmt.Sprint(userID), login} {
		ids = append(ids,
			g.create(t, g.first(), object{"orderId": orderIDs[i], "payer": object{"userId": payer}}).text("data.id"))
	}
	g.create(t, g.first(), object{"payer": object{"userId": "somebody else"}})
	slices.Reverse(ids)
	if all := listedIDs(t, g.list(t, nil, bearer(token))); !slices.Equal(all, ids) {
		t.Errorf("listed %v, want %v", all, ids)
	}
	first := g.list(t, url.Values{"limit": {"1"}}, bearer(token))
	g.golden(t, "list_cabinet", first, orderIDs[2])
	second := g.list(t, url.Values{"limit": {"2"}, "cursor": {first.text("next_cursor")}}, bearer(token))
	if rest := listedIDs(t, second); !slices.Equal(rest, ids[1:]) || second.at("next_cursor") != nil {
		t.Errorf("the rest: %s", second)
	}
	g.callback(t, ids[1], `{"status":"failed"}`)
	created := func(i int) string { return first.body["data"].([]any)[i].(object)["created_at"].(string) }
	now, err := time.Parse(time.RFC3339Nano, created(0))
	noError(t, err)
	hour := func(by int) string { return now.Add(time.Duration(by) * time.Hour).Format(time.RFC3339) }
	for name, test := range map[string]struct {
		query url.Values
		want  []string
	}{
		"failed":         {url.Values{"status": {"failed"}}, ids[1:2]},
		"completed":      {url.Values{"status": {"completed"}}, nil},
		"since then":     {url.Values{"from": {created(0)}}, ids[:1]},
		"this hour":      {url.Values{"from": {hour(-1)}, "to": {hour(1)}}, ids},
		"before":         {url.Values{"to": {hour(-1)}}, nil},
		"after":          {url.Values{"from": {hour(1)}}, nil},
		"one order":      {url.Values{"orderId": {orderIDs[0]}}, ids[2:]},
		"unknown fields": {url.Values{"x": {"y"}}, ids},
	} {
		if got := listedIDs(t, g.list(t, test.query, bearer(token))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// A merchant looks up what it made under an order id, in the same shape with nothing hidden.
func TestLookUpByOrder(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	sbp := g.create(t, g.first(), object{"orderId": orderID}).text("data.id")
	query := url.Values{"orderId": {orderID}}
	own := signed(g.first(), "")
	g.golden(t, "list_signed", g.list(t, query, own), orderID)
	card := g.create(t, g.first(), object{"orderId": orderID, "method": "card"}).text("data.id")
	g.create(t, g.box(t, "sandbox-second-rub"), object{"orderId": orderID})
	if got := listedIDs(t, g.list(t, query, own)); !slices.Equal(got, []string{card, sbp}) {
		t.Errorf("both: %v", got)
	}
	query.Set("method", "sbp")
	if got := listedIDs(t,
		g.list(t, query, signed(g.box(t, "sandbox-payments-only"), ""))); !slices.Equal(got, []string{sbp}) {
		t.Errorf("by another key of the merchant: %v", got)
	}
	if got := g.list(t, url.Values{"orderId": {"never"}}, own); got.raw != `{"data":[]}` {
		t.Errorf("none: %s", got)
	}
}

// Connect lists by the same handler.
func TestListPaymentsByConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	token, _ := g.newPayer(t, "payer-of-connect")
	orderID := newOrder()
	id := number(
		g.create(t, g.first(), object{"orderId": orderID, "payer": object{"userId": "payer-of-connect"}}).
			text("data.id"),
	)
	for codec, options := range codecs {
		cabinet := gatewayv1connect.NewPaymentServiceClient(withToken(token), g.BaseURL, options...)
		got := called(t, cabinet.ListPayments, &gatewayv1.ListPaymentsRequest{})
		if list := got.GetData(); len(list) != 1 || list[0].GetId() != id ||
			list[0].GetLedger().ProfitUsdt != nil ||
			got.GetSigned() {
			t.Errorf("%s: %v", codec, got)
		}
		found := called(t, g.merchantClient(g.first(), options...).ListPayments,
			&gatewayv1.ListPaymentsRequest{OrderId: &orderID})
		if list := found.GetData(); len(list) != 1 || list[0].GetId() != id ||
			list[0].GetLedger().GetProfitUsdt() != "0.69830596" {
			t.Errorf("%s, signed: %v", codec, found)
		}
		zero, nul := int32(0), "a\x00b"
		invalid(
			t,
			codec,
			cabinet.ListPayments,
			&gatewayv1.ListPaymentsRequest{Limit: &zero, Status: &nul, Cursor: &nul},
			"cursor",
			"limit",
			"status",
		)
	}
	far := gatewayv1connect.NewPaymentServiceClient(withToken(token), g.BaseURL)
	invalid(
		t,
		"a time that is none",
		far.ListPayments,
		&gatewayv1.ListPaymentsRequest{From: &timestamppb.Timestamp{Seconds: 1 << 60}},
		"from",
	)
	refuses(t, "an operator",
		gatewayv1connect.NewPaymentServiceClient(withToken(g.user(t, "operator").Token), g.BaseURL).ListPayments,
		&gatewayv1.ListPaymentsRequest{}, connect.CodePermissionDenied, "token_kind_not_allowed")
}
