package bankmessage_test

import (
	"testing"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// The money of a message that fits no payment, or that no pattern knows, is kept once, however many ask, with who did it; then the
// message is decided, and another one about the same transfer still counts as its twin.
func TestKeep(t *testing.T) {
	b := setup(t)
	ctx, who := t.Context(), b.trader.Caller
	message := func() (id int64) {
		t.Helper()
		b.Get(t, &id, "select max(id) from bank_message")
		return id
	}
	keep := func(by caller.Caller, id int64, amount *string) error {
		return testenv.ErrOf(b.messages.Keep(ctx, by, bankmessage.Keeping{
			MessageID: id, RequisiteID: b.trader.Requisites[0], Amount: amount, Payer: new("Sidor"),
		}))
	}
	testenv.Want(t, b.send(t, came("1", "700", "")), bankmessage.Waiting, "about no payment")
	waits := message()
	stranger, _ := b.pair(t)
	dbtest.WantCode(t, keep(stranger.Caller, waits, nil), "not_found")
	elsewhere := bankmessage.Keeping{MessageID: waits, RequisiteID: stranger.Requisites[0]}
	dbtest.WantCode(t, testenv.ErrOf(b.messages.Keep(ctx, who, elsewhere)), "not_found")
	errs := testenv.AtOnce(6, func(i int) error { return keep([]caller.Caller{who, operator}[i%2], waits, new("9999")) })
	dbtest.WantOne(t, errs, "message_decided")
	testenv.Want(t, b.Text(t, "select amount || ' ' || state || ' ' || payer || ' ' || (actor = (select decided_by from bank_message where id = $1)) "+
		"from arrival where message_id = $1", waits), "700.00 free Sidor true", "what is kept")
	dbtest.WantCode(t, b.messages.Dismiss(ctx, who, waits), "message_decided")

	unknown := bankmessage.Forwarded{ID: "2", Kind: "push", Sender: "new.bank", Text: "Came 55.50 from Ivan"}
	testenv.Want(t, b.send(t, unknown), bankmessage.Noted, "known to no pattern")
	dbtest.WantCode(t, keep(operator, message(), nil), "validation_failed")
	testenv.NoError(t, keep(operator, message(), new("55.50")))
	testenv.Want(t, b.Text(t, "select amount || ' ' || actor from arrival where message_id = $1", message()), "55.50 "+operator.Actor(), "of an unknown one")
	dbtest.WantCode(t, keep(operator, message(), new("55.50")), "message_decided")

	// The same transfer once more, by an SMS without a balance: it completes nothing by itself.
	p := b.create(t, "700")
	again := came("3", "700", "")
	testenv.Want(t, b.send(t, again), bankmessage.Waiting, "the twin")
	testenv.Want(t, b.Text(t, "select why from bank_message where id = $1", message()), bankmessage.WhyTwin, "why it waits")
	testenv.Want(t, b.status(t, p), payment.Pending, "the payment")
	b.Audit(t)
}
