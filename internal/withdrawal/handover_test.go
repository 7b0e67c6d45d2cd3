package withdrawal_test

import (
	"fmt"
	"strings"
	"testing"

	"gateway.example/internal/attest"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/withdrawal"
)

// Each withdrawal is on one list, whoever asks and however often; the list is
// signed, and the same number gets the same list.
func TestHandOverOnce(t *testing.T) {
	d := newDesk(t, "500")
	address := d.known(t, d.user, "TRC20", tron)
	for range 5 {
		testenv.Must(d.service.Approve(t.Context(), operator, d.asked(t, address).ID))(t)
	}
	// A list of which the transaction was killed never was.
	tx := testenv.Must(d.Pool.Begin(t.Context()))(t)
	lost := testenv.Must(d.service.Approved(tx).Export(t.Context(), operator, 0))(t)
	testenv.NoError(t, tx.Rollback(t.Context()))

	documents := make([]string, 8)
	testenv.NoError(t, testenv.AtOnce(8, func(i int) error {
		list, err := d.service.Export(t.Context(), operator, 0)
		documents[i] = list.Document
		return err
	})...)
	for _, document := range documents {
		testenv.Want(t, document, documents[0], "the list")
	}
	testenv.Check(t, documents[0] != lost.Document && strings.Count(documents[0], `"address"`) == 5, "%s", documents[0])
	testenv.Want(t, len(attest.Verify([]byte(documents[0]), d.keys)), 0, "flaws of the signature")
	only, _, err := d.service.HandOvers(t.Context(), operator, withdrawal.HandOverPage{})
	testenv.Check(t, err == nil && len(only) == 1 && only[0].Count == 5, "%+v %v", only, err)
	dbtest.WantCode(t, testenv.ErrOf(d.service.Export(t.Context(), operator, only[0].ID)), "withdrawal_nothing_approved")

	late := d.asked(t, address)
	testenv.Must(d.service.Approve(t.Context(), operator, late.ID))(t)
	next := testenv.Must(d.service.Export(t.Context(), operator, only[0].ID))(t)
	testenv.Check(t, next.Count == 1 && strings.Contains(next.Document, fmt.Sprintf(`"id":%d`, late.ID)), "%s", next.Document)
	d.wantBalance(t, "371", "129")
}
