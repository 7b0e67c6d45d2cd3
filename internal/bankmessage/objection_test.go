package bankmessage_test

import (
	"testing"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// An objection is there whole, or not at all.
func TestObjectionIsWhole(t *testing.T) {
	b := setup(t)
	b.create(t, "1500")
	b.send(t, came("a", "1500", ""))
	b.Exec(t, "update requisite_message set trader_id = 0")
	dbtest.WantCode(t, b.messages.Object(t.Context(), b.trader.Caller, 1, "It never came"), "not_found")
	testenv.Want(t, b.Text(t, "select state from bank_message"), string(bankmessage.Confirmed), "without its rule the message is")
	b.Exec(t, "update requisite_message set trader_id = $1", b.trader.ID)
	testenv.NoError(t, b.messages.Object(t.Context(), b.trader.Caller, 1, "It never came"))
	testenv.Want(t, b.Text(t, "select state || ' ' || mode from bank_message, requisite_message"), "objected shadow", "the message is")
}

// An objection waits for an operator, who decides it once with a reason that
// its trader reads. The payment stays as it is, and the words of an objection
// mean nothing but themselves: neither does the message leave its chain, nor
// may another one confirm.
func TestObjectionIsResolved(t *testing.T) {
	b := setup(t)
	p := b.create(t, "1500")
	b.send(t, came("a", "1500", ""))
	testenv.NoError(t, b.messages.Object(t.Context(), b.trader.Caller, 1, bankmessage.WhyForged))
	testenv.Want(t, b.Text(t, "select why || '/' || objection from bank_message"), "/forged", "the objection is kept as")
	dbtest.WantCode(t, testenv.ErrOf2(b.messages.Objections(t.Context(), b.trader.Caller, db.Page{})), "token_kind_not_allowed")
	open, _, err := b.messages.Objections(t.Context(), operator, db.Page{})
	testenv.Check(t, err == nil && len(open) == 1 && open[0].Outcome == "" && open[0].Why == "forged" && open[0].Text == nil, "%+v, %v", open, err)
	resolve := func(who caller.Caller, outcome bankmessage.Outcome, reason string) error {
		return testenv.ErrOf(b.messages.ResolveObjection(t.Context(), who, 1, bankmessage.Resolution{Outcome: outcome, Reason: reason}))
	}
	dbtest.WantFields(t, resolve(operator, "maybe", ""), "outcome", "reason")
	dbtest.WantCode(t, resolve(b.trader.Caller, bankmessage.Upheld, "I say so"), "token_kind_not_allowed")
	testenv.NoError(t, resolve(operator, bankmessage.Upheld, "The statement has none"))
	dbtest.WantCode(t, resolve(operator, bankmessage.Rejected, "It has"), "not_found")
	m, err := b.messages.Get(t.Context(), b.trader.Caller, 1)
	testenv.Check(t, err == nil && m.Outcome == bankmessage.Upheld && m.Resolution == "The statement has none" && m.ResolvedBy == operator.Actor(),
		"its trader reads %+v, %v", m, err)
	testenv.Want(t, b.status(t, p), payment.Completed, "the payment is")
	b.Audit(t)
}
