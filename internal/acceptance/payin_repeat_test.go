package acceptance

import (
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/sign"
)

func TestPayinRepeats(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	first := g.createPayin(t, g.first(), object{"orderId": orderID})
	for _, test := range []struct {
		more     object
		mismatch string
	}{
		{object{}, ""}, {object{"amount": "1500.00"}, ""}, {object{"code": "1", "userId": "other"}, ""}, {object{"amount": 1501}, "amount"},
		{object{"address": "+79991234568", "recipient": "X", "callbackUri": "https://other.example/", "amount": 1}, "amount,callbackUri,address,recipient"},
	} {
		test.more["orderId"] = orderID
		got := g.createPayin(t, g.first(), test.more)
		if got.raw != first.raw || got.header.Get("Idempotent-Replay") != "true" ||
			got.header.Get("Idempotent-Mismatch") != test.mismatch {
			t.Errorf("%v: %v %s", test.more, got.header, got)
		}
	}
	const calls = 40
	body := payinOrder(nil)
	ids, fresh := make([]string, calls), 0
	var mu sync.Mutex
	var calling sync.WaitGroup
	for i := range calls {
		calling.Go(func() {
			got, err := trySend(http.MethodPost, g.BaseURL+payins, body, signed(g.first(), body))
			if err != nil || got.status != 200 {
				t.Errorf("call %d: %v %s", i, err, got)
			}
			mu.Lock()
			defer mu.Unlock()
			ids[i] = got.text("data.id")
			if got.header.Get("Idempotent-Replay") == "" {
				fresh++
			}
		})
	}
	calling.Wait()
	if len(slices.Compact(ids)) != 1 || fresh != 1 {
		t.Errorf("%d fresh answers, ids %v", fresh, slices.Compact(ids))
	}
}

// More than the cashbox has is refused, and leaves the order id free.
func TestPayinBalance(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	orderID := newOrder()
	for range 2 {
		got := g.postPayin(t, g.first(), payinOrder(object{"orderId": orderID, "amount": "999999999999.99"}))
		if got.status != 422 || got.text("code") != "insufficient_cashbox_balance" || got.at("errors") != nil {
			t.Errorf("too much: %s", got)
		}
	}
	if got := g.createPayin(t, g.first(), object{"orderId": orderID}); got.header.Get("Idempotent-Replay") != "" {
		t.Errorf("the order id was taken: %v", got.header)
	}
	// A cashbox of another currency does not pay out.
	if got := g.postPayin(t, g.box(t, "sandbox-azn"), payinOrder(nil)); got.status != 422 ||
		!slices.Equal(got.fields(), []string{"currency"}) {
		t.Errorf("from an AZN cashbox: %s", got)
	}
}

// The test clock expires what waits, and hands what was taken to the operators.
func TestPayinTimeRunsOut(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box := g.first()
	s := newShop(t, box.WebhookSecret)
	orderID := newOrder()
	waiting := g.createPayin(t, box, object{"orderId": orderID, "callbackUri": s.URL}).text("data.id")
	taken := g.createPayin(t, box, nil).text("data.id")
	called(t, g.desk(g.user(t, "trader-2").Token).TakePayin, &portalv1.TakePayinRequest{PayinId: taken})
	g.advance(t, 24*time.Hour)
	for id, want := range map[string]string{waiting: "expired", taken: "processing"} {
		if got := send(t, "GET", g.BaseURL+payins+"/"+id, "", signed(box, "")); got.text("data.status") != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	if e := s.await(t, orderID, 1)[0]; e.Data.Status != "EXPIRED" {
		t.Errorf("webhook %+v", e)
	}
	queue := called(t, g.operator(t).ListOverduePayins, &portalv1.ListOverduePayinsRequest{})
	if list := queue.GetData(); len(list) != 1 || list[0].GetPayin().GetId() != taken ||
		list[0].GetPayin().GetBeneficiary().GetValue() != "•••• 4567" ||
		list[0].GetTraderId() == 0 {
		t.Errorf("overdue: %v", queue)
	}
	done := called(t, g.operator(t).ResolvePayin, &portalv1.ResolvePayinRequest{PayinId: taken, Outcome: "failed"})
	if done.GetData().GetPayin().GetStatus() != "failed" {
		t.Errorf("resolved %v", done)
	}
	g.wantAudit(t)
}

// A trader who has taken all they may gives one back; it is taken by another trader, completed, and
// reversed by an operator.
func TestPayinGivenBackAndReversed(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	box, orderID := g.first(), newOrder()
	s := newShop(t, box.WebhookSecret)
	id := g.createPayin(t, box, object{"orderId": orderID, "callbackUri": s.URL}).text("data.id")
	second := g.createPayin(t, box, nil).text("data.id")
	taker, other, operator := g.desk(g.user(t, "trader-1").Token), g.desk(g.user(t, "trader-2").Token), g.operator(t)
	users := g.texts(t, "select trader_id::text from app_user where login = 'trader-1'")
	limit := int32(1)
	done(operator.UpdateTrader(
		t.Context(),
		connect.NewRequest(&portalv1.UpdateTraderRequest{TraderId: number(users[0]), MaxOpenPayins: &limit}),
	))(t)

	called(t, taker.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	refuses(t, "", taker.TakePayin, &portalv1.TakePayinRequest{PayinId: second}, connect.CodeFailedPrecondition,
		"payin_take_limit")
	back := called(t, taker.GiveBackPayin, &portalv1.GiveBackPayinRequest{PayinId: id})
	if d := back.GetData(); d.GetStatus() != "waiting" || d.GetAddress() != "•••• 4567" {
		t.Errorf("given back: %v", d)
	}
	called(t, other.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	called(t, operator.ReclaimPayin, &portalv1.ReclaimPayinRequest{PayinId: id})
	called(t, other.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	invalid(
		t,
		"completed without proof",
		other.CompletePayin,
		&portalv1.CompletePayinRequest{PayinId: id},
		"proofReference",
	)
	proof, reason := "transfer 12/7", "the bank sent it back"
	called(t, other.CompletePayin, &portalv1.CompletePayinRequest{PayinId: id, ProofReference: &proof})
	g.wantAudit(t)
	reversed := called(t, operator.ReversePayin, &portalv1.ReversePayinRequest{PayinId: id, Reason: &reason})
	if p := reversed.GetData().GetPayin(); p.GetStatus() != "failed" || p.GetStatusReason() != reason ||
		p.GetProofReference() != proof {
		t.Errorf("reversed: %v", p)
	}
	if e := s.await(t, orderID, 2)[1]; e.Data.Status != "FAILED" || e.Meta.PreviousStatus != "COMPLETED" ||
		e.Meta.Sequence != 2 {
		t.Errorf("webhook %+v", e)
	}
	g.wantAudit(t)
}

// The Connect twins, with the generated client in both codecs.
func TestPayinConnect(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for codec, options := range codecs {
		transport := sign.Transport(client.Transport, g.first().KeyID, g.first().Secret)
		merchant := gatewayv1connect.NewPayinServiceClient(
			&http.Client{Timeout: testenv.Patience, Transport: transport}, g.BaseURL, options...)
		ask := &gatewayv1.CreatePayinRequest{
			OrderId: newOrder(), Amount: "1500", Currency: "RUB", CallbackUri: "https://shop.example/hook",
			Method: "sbp", Address: recipientPhone, Recipient: "Ivan Petrov",
		}
		created := called(t, merchant.CreatePayin, ask)
		again := succeeds(t, merchant.CreatePayin, ask)
		id := created.GetData().GetId()
		if created.GetMessage() != "Payin created" || created.GetData().GetFrozenUsdt() != "16.54054055" ||
			again.Msg.GetData().GetId() != id || again.Header().Get("Idempotent-Replay") != "true" {
			t.Errorf("%s: %v, again %v %v", codec, created, again.Header(), again.Msg)
		}
		read := called(t, merchant.GetPayin, &gatewayv1.GetPayinRequest{PayinId: id})
		cancelled := called(t, merchant.CancelPayin, &gatewayv1.CancelPayinRequest{PayinId: id})
		if read.GetData().GetBeneficiary().GetValue() != "•••• 4567" || cancelled.GetData().GetStatus() != "cancelled" {
			t.Errorf("%s: read %v, cancelled %v", codec, read, cancelled)
		}
		nul := "a\x00b"
		invalid(t, codec, merchant.CreatePayin, &gatewayv1.CreatePayinRequest{
			Amount: "0", Currency: "RUB", CallbackUri: "x", Method: "sbp", Address: "1", Recipient: nul, UserIp: &nul,
		}, "address", "amount", "callbackUri", "orderId", "recipient", "userIp")
		for _, procedure := range []func() error{
			func() error {
				_, err := g.desk(g.user(t, "operator").Token, options...).TakePayin(t.Context(), connect.NewRequest(&portalv1.TakePayinRequest{PayinId: id}))
				return err
			},
			func() error {
				_, err := g.desk(g.user(t, "merchant").Token, options...).ListPayins(t.Context(), connect.NewRequest(&portalv1.ListPayinsRequest{}))
				return err
			},
		} {
			wantFault(t, "", procedure(), connect.CodePermissionDenied, "token_kind_not_allowed")
		}
		refuses(t, "", g.desk(g.user(t, "trader-1").Token, options...).
			CompletePayin, &portalv1.CompletePayinRequest{PayinId: nul}, connect.CodeNotFound, "not_found")
	}
	if _, err := g.operator(t).
		ResolvePayin(t.Context(), connect.NewRequest(&portalv1.ResolvePayinRequest{})); !errors.As(err,
		new(*connect.Error)) {
		t.Errorf("resolving nothing: %v", err)
	}
}
