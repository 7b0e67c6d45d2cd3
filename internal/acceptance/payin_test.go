package acceptance

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect"

	"gateway.example/internal/sandbox"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

const (
	payins = "/api/v1/payins"
	// recipientPhone is no other test's: no log may hold it.
	recipientPhone = "+79991234567"
)

// payinOrder is the body of a payout: the defaults, and over them what more says.
func payinOrder(more object) string {
	fields := object{
		"orderId":     newOrder(),
		"amount":      1500,
		"currency":    "RUB",
		"method":      "sbp",
		"callbackUri": "https://shop.example/hook",
		"address":     recipientPhone,
		"recipient":   "Иван Петров",
	}
	maps.Copy(fields, more)
	body, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	return string(body)
}

func (g *instance) postPayin(t testing.TB, box sandbox.Cashbox, body string) answer {
	t.Helper()
	return send(t, http.MethodPost, g.BaseURL+payins, body, signed(box, body))
}

// createPayin makes a payout and returns its answer, which must be a success.
func (g *instance) createPayin(t testing.TB, box sandbox.Cashbox, more object) answer {
	t.Helper()
	a := g.postPayin(t, box, payinOrder(more)).must(t, "create", http.StatusOK)
	return a
}

// The documented answers, from creation to completion, with the money and the webhook that go with
// it. At a base of
// 92.50 and 2% markup 1500 RUB freeze 153000 / 9250 = 16.540540540…, rounded up; the trader gets 1500 / 92.50 =
// 16.21621621 and 1.5% of it, 0.24324324.
func TestPayin(t *testing.T) {
	t.Parallel()
	keepSecret(recipientPhone, recipientPhone[1:])
	g := freshSandbox(t)
	box, orderID := g.first(), newOrder()
	s := newShop(t, box.WebhookSecret)
	created := g.createPayin(t, box, object{
		"orderId": " " + orderID + " ", "callbackUri": s.URL, "code": "044525225", "bankName": "Sberbank",
		"userId": "u-1", "userIp": "2001:db8::1",
	})
	g.golden(t, "payin_create", created, orderID)
	id := created.text("data.id")
	address := g.BaseURL + payins + "/" + id

	called(t, g.operator(t).SetInsurance, &portalv1.SetInsuranceRequest{
		MerchantCashboxId: box.MerchantCashboxID, Amount: "50",
	})
	balance := fmt.Sprintf("%s/api/v1/cashboxes/%d/balance", g.BaseURL, box.MerchantCashboxID)
	got := send(t, "GET", balance, "", signed(box, ""))
	g.golden(t, "balance", got, "")
	if got.text("data.merchantCashboxId") != fmt.Sprint(box.MerchantCashboxID) ||
		got.text("data.traderCashboxId") != fmt.Sprint(*box.TraderCashboxID) {
		t.Errorf("balance of %s", got)
	}

	first, second := g.desk(g.user(t, "trader-1").Token), g.desk(g.user(t, "trader-2").Token)
	offers := called(t, first.ListPayins, &portalv1.ListPayinsRequest{})
	if list := offers.GetData(); len(list) != 1 || list[0].GetId() != id || list[0].GetAddress() != "•••• 4567" ||
		list[0].Recipient != nil {
		t.Errorf("offered %v", offers)
	}
	taken := called(t, first.TakePayin, &portalv1.TakePayinRequest{PayinId: id})
	if d := taken.GetData(); d.GetAddress() != recipientPhone || d.GetRecipient() != "Иван Петров" ||
		d.GetRewardUsdt() != "16.45945945" ||
		d.GetStatus() != "processing" ||
		d.GetBankCode() != "044525225" ||
		d.GetBankName() != "Sberbank" {
		t.Errorf("taken %v", taken)
	}
	refuses(t, "", second.TakePayin, &portalv1.TakePayinRequest{PayinId: id}, connect.CodeFailedPrecondition,
		"payin_not_waiting")
	refuses(t, "", second.CompletePayin, &portalv1.CompletePayinRequest{PayinId: id}, connect.CodeNotFound, "not_found")
	send(t, "POST", address+"/cancel", "{}",
		signed(box, "{}")).want(t, "cancelled while processing", 422, "code", "payin_not_waiting")
	proof := "transfer 12/7"
	called(t, first.CompletePayin, &portalv1.CompletePayinRequest{PayinId: id, ProofReference: &proof})
	g.golden(t, "payin_completed", send(t, "GET", address, "", signed(box, "")), orderID)
	for _, account := range g.texts(t, `select a.owner_kind || ' ' || a.purpose || ' ' || sum(m.amount)
		from transfer t cross join lateral (values (debit_account, -amount), (credit_account, amount)) m (account_id, amount)
		join account a on a.id = m.account_id
		where t.subject = 'payin' group by a.owner_kind, a.purpose`) {
		if !slices.Contains([]string{
			"cashbox available -16.54054055", "cashbox reserved 0.00000000", "trader available 16.45945945",
			"platform available 0.08108110",
		}, account) {
			t.Errorf("moved %s", account)
		}
	}
	s.await(t, orderID, 1)
	e := s.events(orderID)[0]
	var data struct{ Data, Meta object }
	noError(t, json.Unmarshal([]byte(s.raw[e.EventID]), &data))
	want := object{
		"id": id, "orderId": orderID, "status": "COMPLETED", "amount": "1500.00",
		"currency": "RUB", "method": "sbp", "frozenUsdt": "16.54054055",
	}
	if e.Type != "payin.status.updated" || !maps.Equal(data.Data, want) || e.Meta.Sequence != 1 ||
		e.Meta.PreviousStatus != "PROCESSING" {
		t.Errorf("webhook %s", s.raw[e.EventID])
	}
	g.wantAudit(t)
}

func TestPayinCancel(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	box := g.first()
	s := newShop(t, box.WebhookSecret)
	ask := object{
		"amount":      "1",
		"method":      "c2c",
		"address":     "40817810099910004312",
		"recipient":   "Ivan Petrov",
		"callbackUri": s.URL,
		"code":        nil,
	}
	// With an empty object, and with no body at all.
	for _, body := range []string{"{}", ""} {
		orderID := newOrder()
		ask["orderId"] = orderID
		id := g.createPayin(t, box, ask).text("data.id")
		cancelled := send(t, "POST", g.BaseURL+payins+"/"+id+"/cancel", body, signed(box, body))
		// 102 / 9250 = 0.011027027…, rounded up.
		g.golden(t, "payin_cancelled", cancelled, orderID)
		again := send(t, "POST", g.BaseURL+payins+"/"+id+"/cancel", body, signed(box, body))
		again.want(t, "cancelled again", 422, "code", "payin_not_waiting")
		s.await(t, orderID, 1)
	}
	portal := portalv1connect.NewMerchantServiceClient(withToken(g.user(t, "merchant").Token), g.BaseURL)
	foreign := portalv1connect.NewMerchantServiceClient(withToken(g.user(t, "merchant-2").Token), g.BaseURL)
	id := g.createPayin(t, box, nil).text("data.id")
	refuses(t, "", foreign.CancelPayin, &gatewayv1.CancelPayinRequest{PayinId: id}, connect.CodePermissionDenied,
		"cashbox_access_denied")
	done := called(t, portal.CancelPayin, &gatewayv1.CancelPayinRequest{PayinId: id})
	status := "cancelled"
	list := called(t, portal.ListPayins, &portalv1.ListPayinsRequest{Status: &status})
	if done.GetData().GetStatus() != status ||
		!slices.ContainsFunc(list.GetData(), func(p *gatewayv1.Payin) bool { return p.GetId() == id }) {
		t.Errorf("cancelled in the portal: %v, %v", done, list)
	}
}
