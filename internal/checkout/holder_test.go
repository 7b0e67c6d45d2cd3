package checkout_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// The name of a card's holder is in an event's body until the event is settled and the card is erased. All else of the body
// stays as it is.
func TestHolderLeavesEvents(t *testing.T) {
	b := setup(t)
	const name = `ANNA \ "B" <C>`
	bodies := func() string {
		noError(t, webhook.EraseHolders(t.Context(), b.Pool))
		return b.Text(t, "select string_agg(convert_from(body, 'UTF8'), ' ') from webhook_event")
	}
	kept, token := b.create(t, "user-1")
	details := typed(panApproved)
	details.Holder, details.Keep = name, true
	must(b.checkouts.SubmitDetails(t.Context(), token, details))(t)
	b.later(t, time.Second)
	escaped := `,"cardHolder":"ANNA \\ \"B\" <C>"`
	whole := bodies()
	if strings.Count(whole, escaped) != 1 {
		t.Fatalf("the event says %s", whole)
	}
	testenv.Want(t, bodies(), whole, "an event that is to be delivered")
	b.Exec(t, "update webhook_event set status = 'delivered'")
	testenv.Want(t, bodies(), whole, "an event whose card is kept")
	noError(t, db.InTx(t.Context(), b.Pool, func(_ pgx.Tx, q *db.Queries) error {
		return q.CardErase(t.Context(), db.CardEraseParams{MerchantID: kept.MerchantID, PaymentID: kept.ID})
	}))
	testenv.Want(t, bodies(), strings.Replace(whole, escaped, "", 1), "an event whose card is erased")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_holder"), 0, "events listed")
}
