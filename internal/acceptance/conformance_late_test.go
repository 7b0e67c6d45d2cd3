package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"gateway.example/internal/testenv"
)

// listedIDs are the ids in an answer.
func listedIDs(got answer) (ids []string) {
	items, _ := got.at("data").([]any)
	for _, item := range items {
		ids = append(ids, fmt.Sprint(item.(object)["id"]))
	}
	return ids
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
	if got := listedIDs(bareRequest(http.MethodGet, payments, "", bearer(token))(t, w)); !slices.Equal(got, ids) {
		t.Errorf("listed %v; want %v", got, ids)
	}
}

func readIsThePayment(t *testing.T, w *instance) {
	made, read := w.fixture(t, "payment"), w.fixture(t, "read")
	testenv.Want(t, asJSON(t, read.at("data")), asJSON(t, made.at("data")), "it reads")
	lacks("data.payerRequisites", "data.checkoutUrl", "data.quasiEcom")(t, read)
}
