package payment_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/testenv"
)

// requisite gives a trader one by a method, with a value.
func (b *bundle) requisite(t *testing.T, traderID int64, method, value string) int64 {
	t.Helper()
	id, err := directory.InsertRequisite(t.Context(), b.Queries(), dbtest.Requisites(), value, db.RequisiteInsertParams{
		TraderID: traderID, Currency: "RUB", Method: method, MinAmount: decimal.NewFromInt(1),
		MaxAmount: decimal.NewFromInt(100_000), Now: dbtest.Start,
	})
	noError(t, err)
	return id
}

// A phone has one reservation of an amount, whoever has it as a requisite, how often and by which methods: of four payments at
// once one gets it. Another phone is given to the next, another amount goes to the same phone, and the phone is free for another
// of its requisites once it is free.
func TestOneReservationOfAPhone(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	const phone = "+79995550011"
	of := map[int64]bool{}
	var traders []int64
	for _, methods := range [][]string{{"sbp", "sbp", "sim"}, {"sbp"}} {
		trader := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000"})
		traders = append(traders, trader.ID)
		for _, method := range methods {
			of[b.requisite(t, trader.ID, method, phone)] = true
		}
	}
	create := func(orderID, method string, amount int64) (payment.Payment, error) {
		r := request(orderID)
		r.Method, r.Amount = &method, decimal.NewFromInt(amount).StringFixed(2)
		created, err := b.payments.Create(context.Background(), merchant.Caller, r)
		return created.Payment, err
	}
	methods := []string{"sbp", "sim", "sbp", "sbp"}
	made := make([]payment.Payment, len(methods))
	errs := testenv.AtOnce(len(methods), func(i int) (err error) {
		made[i], err = create("order-"+string(rune('a'+i)), methods[i], 4444)
		return err
	})
	dbtest.WantOne(t, errs, "collect_requisites_not_available")
	first := made[slices.Index(errs, nil)]
	testenv.Want(t, *first.RequisiteValue, phone, "the phone")

	for i, method := range []string{"sbp", "sim"} {
		other := must(create("other amount "+method, method, 4445+int64(i)))(t)
		testenv.Want(t, of[*other.RequisiteID], true, "another amount goes to the phone")
	}
	another := b.requisite(t, traders[1], "sbp", "+79995550012")
	next := must(create("another phone", "sbp", 4444))(t)
	testenv.Want(t, *next.RequisiteID, another, "the next payment gets")

	// Once it is over, another requisite with the phone gets it, and the payment that had it does not get it back.
	b.set(t, first.ID, "cancelled")
	b.clock.Advance(16 * time.Minute)
	b.Exec(t, "update requisite set enabled = false where id = any($1)", []int64{*first.RequisiteID, another})
	otherMethod := map[string]string{"sbp": "sim", "sim": "sbp"}[first.Method]
	later := must(create("later", otherMethod, 4444))(t)
	if *later.RequisiteID == *first.RequisiteID || *later.RequisiteValue != phone {
		t.Errorf("requisite %d again, or %s", *later.RequisiteID, *later.RequisiteValue)
	}
	b.set(t, first.ID, "pending")
	b.wantSlot(t, later, open)
	testenv.Want(t, b.Count(t, "select count(*) from requisite_slot where amount = 4444 and hash = "+
		"(select hash from requisite where id = "+decimal.NewFromInt(*later.RequisiteID).String()+")"), 1, "slots of the phone")
	b.Audit(t)
}
