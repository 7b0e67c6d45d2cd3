package acceptance

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

func (g *instance) sandboxClient() sandboxv1connect.SandboxServiceClient {
	return sandboxv1connect.NewSandboxServiceClient(client, g.BaseURL)
}

// trigger has an event happen.
func (g *instance) trigger(event, id string) (*sandboxv1.TriggerResponse, error) {
	request := &sandboxv1.TriggerRequest{Event: event}
	if id != "" {
		request.Id = &id
	}
	answered, err := g.sandboxClient().Trigger(context.Background(), connect.NewRequest(request))
	if err != nil {
		return nil, err
	}
	return answered.Msg, nil
}

// Without an id, a payment or a payout is made and brought to where the event has it. Its webhook is
// queued for the address at which "gateway listen" waits.
func TestTriggerMakes(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for event, want := range map[string]struct{ full, status, table, webhook string }{
		"payment.completed":   {"payment.completed", "completed", "payment", "payment.status.updated"},
		"payment.failed":      {"payment.failed", "failed", "payment", "payment.status.updated"},
		"payment.code_resend": {"payment.code_resend", "pending", "payment", "payment.quasi_ecom.code_resend"},
		"code_resend":         {"payment.code_resend", "pending", "payment", "payment.quasi_ecom.code_resend"},
		"payin.completed":     {"payin.completed", "completed", "payin", "payin.status.updated"},
	} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			got, err := g.trigger(event, "")
			noError(t, err)
			if got.GetEvent() != want.full || got.GetStatus() != want.status ||
				(got.GetPaymentId() > 0) != (want.table == "payment") {
				t.Errorf("answered %v", got)
			}
			stored := g.texts(t, `select concat_ws(' ', p.status, p.order_id, e.type, e.url) from `+want.table+` p
				join webhook_event e on e.merchant_id = p.merchant_id and e.subject = $2 and e.subject_id = p.id
				where p.uuid = $1`, got.GetId(), want.table)
			line := want.status + " " + got.GetOrderId() + " " + want.webhook + " http://127.0.0.1:8099/webhook"
			if !slices.Equal(stored, []string{line}) {
				t.Errorf("stored %q; want %q", stored, line)
			}
		})
	}
}

// With an id, the event happens to that payment, and its shop gets the signed webhook.
func TestTriggerOnGiven(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for event, status := range map[string]string{"payment.completed": "COMPLETED", "payment.failed": "FAILED"} {
		t.Run(event, func(t *testing.T) {
			t.Parallel()
			s, orderID := newShop(t, g.first().WebhookSecret), newOrder()
			made := g.create(t, g.first(), object{"orderId": orderID, "callbackUri": s.URL})
			got, err := g.trigger(event, made.text("data.uuid"))
			noError(t, err)
			if got.GetOrderId() != orderID || got.GetId() != made.text("data.uuid") {
				t.Errorf("answered %v", got)
			}
			if sent := s.await(t, orderID, 1)[0]; sent.text("type") != "payment.status.updated" ||
				sent.text("data.status") != status {
				t.Errorf("sent %s", sent)
			}
			_, err = g.trigger(event, made.text("data.uuid"))
			wantFault(t, "", err, connect.CodeFailedPrecondition, "payment_not_pending")
		})
	}
}

// A card payment gets the card for which it waits, and is then completed with it.
func TestTriggerCardPayment(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	made, token := g.cardPayment(t, nil)
	id := made.text("data.uuid")
	got, err := g.trigger("payment.code_resend", id)
	noError(t, err)
	view := g.checkout(t, token, "", "")
	if got.GetStatus() != "pending" || view.text("data.phase") != "awaiting_payer_otp" ||
		view.text("data.codeResendCount") != "1" || view.text("data.codeResendLastBy") != "trader" {
		t.Errorf("after a resend: %v, %s", got, view)
	}
	_, err = g.trigger("payment.code_resend", id)
	wantFault(t, "", err, connect.CodeResourceExhausted, "code_resend_too_early")
	_, err = g.trigger("payment.completed", id)
	noError(t, err)
	read := send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.box(t, "sandbox-azn"), ""))
	if read.text("data.status") != "completed" || read.text("data.payerRequisites.cardLast4") != "3155" {
		t.Errorf("read %s", read)
	}
}

// A payout that waits is taken by a trader first. One that is over stays as it is.
func TestTriggerPayout(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	made := g.createPayin(t, g.first(), nil)
	id := made.text("data.id")
	got, err := g.trigger("payin.completed", id)
	noError(t, err)
	if got.GetId() != id || got.GetStatus() != "completed" || got.PaymentId != nil {
		t.Errorf("answered %v", got)
	}
	_, err = g.trigger("payin.completed", id)
	wantFault(t, "", err, connect.CodeFailedPrecondition, "payin_not_processing")
}

// Over REST the sandbox's calls are the same as over Connect, without a token.
func TestSandboxOverREST(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	call := func(method, path, body string) answer {
		return send(t, method, g.BaseURL+"/api/v1/sandbox/"+path, body, nil)
	}
	payment := call(http.MethodPost, "trigger", `{"event":"payment.failed"}`)
	if payment.status != 200 || payment.text("event") != "payment.failed" || payment.text("status") != "failed" ||
		payment.at("paymentId") == nil || payment.text("orderId") == "" {
		t.Errorf("a payment: %s", payment)
	}
	again := call(http.MethodPost, "trigger", `{"event":"payment.completed","id":"`+payment.text("id")+`"}`)
	again.want(t, "the same once more", 422, "code", "payment_not_pending")
	if payout := call(http.MethodPost, "trigger", `{"event":"payin.completed"}`); payout.status != 200 ||
		payout.at("paymentId") != nil || payout.text("status") != "completed" {
		t.Errorf("a payout: %s", payout)
	}
	if wrong := call(http.MethodPost, "trigger", `{"event":"x","id":7}`); wrong.status != 422 ||
		!slices.Equal(wrong.fields(), []string{"event", "id"}) {
		t.Errorf("wrong fields: %s", wrong)
	}

	open := g.create(t, g.first(), nil)
	if moved := call(http.MethodPost, "clock/advance", `{"seconds":900}`); moved.status != 200 ||
		moved.text("now") == "" {
		t.Errorf("the clock: %s", moved)
	}
	read := send(t, http.MethodGet, g.BaseURL+payments+"/"+open.text("data.id"), "", signed(g.first(), ""))
	if read.text("data.statusReason") != "expired" {
		t.Errorf("after 15 minutes: %s", read)
	}
	if back := call(http.MethodPost, "clock/advance", `{"seconds":-1}`); back.status != 422 ||
		!slices.Equal(back.fields(), []string{"seconds"}) {
		t.Errorf("backwards: %s", back)
	}

	const play = `{"method":"sbp","confirmedPercent":100,"wrongAmountPercent":0,"cancelledPercent":0,"delayFromSeconds":0,"delayToSeconds":0}`
	for _, step := range []struct{ method, body, running string }{
		{http.MethodGet, "", "false"},
		{http.MethodPut, `{"plays":[` + play + `]}`, "true"},
		{http.MethodGet, "", "true"},
		{http.MethodDelete, "", "false"},
	} {
		call(step.method, "simulation", step.body).want(t, step.method, 200, "simulation.running", step.running)
	}
	if bad := call(http.MethodPut, "simulation", `{"plays":[{"method":"quasi_ecom"}]}`); bad.status != 422 ||
		!slices.Equal(bad.fields(), []string{"plays[0].method"}) {
		t.Errorf("a method without traders: %s", bad)
	}
	triggerWithoutFreeTrader(t, g)
}

// Where no trader can take a payout now, that is said, and the payout waits on.
func triggerWithoutFreeTrader(t *testing.T, g *instance) {
	g.exec(t, `update trader_payout_method set enabled = false
		where trader_id <> (select max(trader_id) from trader_payout_method)`)
	if got, err := g.trigger("payin.completed", ""); err != nil || got.GetStatus() != "completed" {
		t.Errorf("with one trader: %v, %v", got, err)
	}
	g.exec(t, "update trader_payout_method set enabled = false")
	_, err := g.trigger("payin.completed", "")
	wantFault(t, "", err, connect.CodeFailedPrecondition, "no_free_trader")
	testenv.Want(t, g.count(t, "select count(*) from payin where status = 'waiting'"), 1, "payouts wait")
}
