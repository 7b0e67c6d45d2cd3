package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"connectrpc.com/connect"

	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// rateGoesStale: then a payment has no USDT sums, and says so.
func rateGoesStale(t *testing.T, w *instance) {
	w.exec(t, "update rate set stale_at = '2000-01-01' where currency = 'MNT'")
	gives(newPayment.by("sandbox-mnt").with("currency", `"MNT"`, "method", `"iban"`), 200,
		has("data.ledger.rateUnavailable", exactly("true")), has("data.ledger.amountUsdt", null),
		has("data.ledger.profitUsdt", null), has("data.ledger.spreadTraderUsdt", null),
		has("data.ledger.spreadPlatformUsdt", null), has("data.extra.fiatPerUsdt", null),
		has("data.extra.rate", null)).run(t, w)
	w.exec(t, "update rate set stale_at = 'infinity' where currency = 'MNT'")
}

// traderSees what the confirming of a payment shows them.
func traderSees(t *testing.T, w *instance) {
	id := w.create(t, w.first(), nil).text("data.id")
	got := fetched(t, http.MethodPost, w.BaseURL+"/portal.v1.TraderService/ConfirmReceived", `{"paymentId":`+id+`}`,
		bearer(w.traderOf(t, id).Token))
	got.want(t, "confirmed", 200, "data.status", "completed")
	lacks(hiddenOf("data.ledger")...)(t, got)
	has("data.ledger.spreadTraderUsdt", equal("0.24324324"))(t, got)
}

// traderCancels: the merchant hears of it at once.
func traderCancels(t *testing.T, w *instance) {
	told := w.told(t, func(id string) {
		cancelled := called(t, w.desk(w.traderOf(t, id).Token).CancelPayment,
			&portalv1.CancelPaymentRequest{PaymentId: number(id)})
		if status := cancelled.GetData().GetStatus(); status != "cancelled" {
			t.Error("it is ", status)
		}
	})
	is("type", "payment.status.updated")(t, told.answer)
	is("data.status", "CANCELLED")(t, told.answer)
}

func traderActsTooLate(t *testing.T, w *instance) {
	id := w.failed(t, nil)
	desk := w.desk(w.traderOf(t, id).Token)
	refuses(t, "", desk.ConfirmReceived, &portalv1.ConfirmReceivedRequest{PaymentId: number(id)},
		connect.CodeFailedPrecondition, "payment_not_pending")
	refuses(t, "", desk.CancelPayment, &portalv1.CancelPaymentRequest{PaymentId: number(id)},
		connect.CodeFailedPrecondition, "payment_not_pending")
	id, token := w.entered(t, deskCard, nil)
	gives(step(token, "cancel", ""), 200).run(t, w)
	refuses(t, "", w.atDesk(t, id).
		RequestCode, &portalv1.RequestCodeRequest{PaymentId: number(id)}, connect.CodeFailedPrecondition, "payment_not_pending")
	wantFault(t, "", w.traderResends(t, id), connect.CodeFailedPrecondition, "payment_not_pending")
}

// payerActsTooLate on their page, which shows no code.
func payerActsTooLate(t *testing.T, w *instance) {
	made := newPayment.with()(t, w)
	w.callback(t, made.text("data.id"), `{"status":"failed"}`)
	before := w.rows(t)
	got := fetched(t, http.MethodPost, made.text("data.paymentPageUrl")+"/cancel", "",
		header{"Sec-Fetch-Site": "same-origin"})
	if got.status != http.StatusUnprocessableEntity || w.rows(t) != before {
		t.Errorf("the page answers %d", got.status)
	}
}

// listedIsThePayment: what the lists show is what the creation answered.
func listedIsThePayment(t *testing.T, w *instance) {
	made := w.fixture(t, "payment")
	for _, list := range []string{"list", "signed list"} {
		for name, created := range map[string]string{
			"id": "id", "uuid": "uuid", "order_id": "orderId", "amount": "amount", "currency": "currency", "created_at": "createdAt",
			"status_updated_at": "statusUpdatedAt", "requisite_snapshot.value": "requisite.value", "requisite_snapshot.holder": "requisite.holder",
			"ledger.amountUsdt": "ledger.amountUsdt",
		} {
			value, _ := find(w.fixture(t, list).body, "data.0."+name)
			if fmt.Sprint(value) != made.text("data."+created) {
				t.Errorf("%s: %s is %v; created as %s", list, name, value, made.text("data."+created))
			}
		}
	}
}

// listedByIDAndLogin: a cabinet user sees what names their id or their login, and nobody else's.
func listedByIDAndLogin(t *testing.T, w *instance) {
	token, id := w.newPayer(t, "payer-of-walk")
	ids := []string{
		w.create(t, w.first(), object{"payer": object{"userId": "payer-of-walk"}}).text("data.id"),
		w.create(t, w.first(), object{"payer": object{"userId": fmt.Sprint(id)}}).text("data.id"),
	}
	w.create(t, w.first(), object{"payer": object{"userId": "payer-of-walk-2"}})
	slices.Reverse(ids)
	if got := listedIDs(t, w.list(t, nil, bearer(token))); !slices.Equal(got, ids) {
		t.Errorf("listed %v; want %v", got, ids)
	}
}

func readIsThePayment(t *testing.T, w *instance) {
	made, read := w.fixture(t, "payment"), w.fixture(t, "read")
	for _, name := range paymentFields {
		if read.text("data."+name) != made.text("data."+name) {
			t.Errorf("%s is %s; created as %s", name, read.text("data."+name), made.text("data."+name))
		}
	}
	lacks("data.payerRequisites", "data.checkoutUrl", "data.quasiEcom")(t, read)
}
