package routing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/inforce"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a database and the memory of one process.
type bundle struct {
	*dbtest.DB
	settings *inforce.Keeper
}

// keep is the memory of a process that asks for changes whenever a requisite is chosen.
func keep(t *testing.T, d *dbtest.DB) *inforce.Keeper {
	t.Helper()
	return testenv.Must(inforce.NewKeeper(t.Context(), d.Pool, 0, nil))(t)
}

// setup has the test run beside others.
func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	d := dbtest.New(t)
	return bundle{d, keep(t, d)}
}

// asked is payment n asking for a requisite.
type asked struct {
	routing.Want
	payment int64
}

// want is payment n asking for an amount of RUB over sbp, at Start plus n seconds.
func want(n int64, amount string) asked {
	return asked{
		routing.Want{
			Currency: "RUB", Method: "sbp", Amount: decimal.RequireFromString(amount),
			Now: dbtest.Start.Add(time.Duration(n) * time.Second),
		},
		n,
	}
}

func nothing(routing.Candidate) decimal.Decimal { return decimal.Zero }

// reserve reserves for a payment, with the trader's USDT left out of it.
func (b bundle) reserve(a asked) (routing.Candidate, error) { return b.reserveHolding(a, nothing) }

func (b bundle) reserveHolding(a asked, hold func(routing.Candidate) decimal.Decimal) (routing.Candidate, error) {
	ctx := context.Background()
	for {
		if err := b.settings.Current(ctx); err != nil {
			return routing.Candidate{}, err
		}
		got, err := b.choose(ctx, a, hold)
		if !errors.Is(err, routing.ErrAgain) {
			return got, err
		}
	}
}

func (b bundle) choose(
	ctx context.Context, a asked, hold func(routing.Candidate) decimal.Decimal,
) (routing.Candidate, error) {
	search := b.settings.Requisites().Search(a.Want, hold)
	for c := range search.Candidates(ctx, b.Queries()) {
		err := db.Write(ctx, b.Pool, routing.Reserve(c, a.Want, a.payment)...)
		if search.Over(c, err) {
			return c, err
		}
	}
	return routing.Candidate{}, search.Err()
}

func (b bundle) wantChosen(t *testing.T, a asked, id int64) {
	t.Helper()
	got, err := b.reserve(a)
	testenv.Need(t, err == nil && got.ID == id, "payment %d got requisite %d, want %d (%v)", a.payment, got.ID, id, err)
}

func (b bundle) wantNone(t *testing.T, a asked) {
	t.Helper()
	got, err := b.reserve(a)
	testenv.Need(t, isNone(err), "payment %d got requisite %d (%v)", a.payment, got.ID, err)
}

func isNone(err error) bool { return errors.As(err, new(*routing.NoneError)) }

func (b bundle) run(t *testing.T, query db.Query) {
	t.Helper()
	testenv.NoError(t, query.Run(t.Context(), b.Queries()))
}

func slot(id int64, a asked) routing.Slot {
	return routing.Slot{RequisiteID: id, Amount: a.Amount, PaymentID: a.payment}
}

func TestOldestUseFirst(t *testing.T) {
	b := setup(t)
	ids := b.NewTrader(t, dbtest.TraderOpts{Requisites: 3}).Requisites
	// Never used ones go by id, and then around.
	for n, id := range []int64{ids[0], ids[1], ids[2], ids[0], ids[1]} {
		b.wantChosen(t, want(int64(n+1), decimal.NewFromInt(int64(100+n)).String()), id)
	}
	// Another process, or one started anew, knows of each the last use that was counted.
	b.Exec(t, "update requisite_day set used_at = $2 where requisite_id = $1", ids[1], dbtest.Start.Add(-time.Hour))
	b.settings = keep(t, b.DB)
	b.wantChosen(t, want(9, "200"), ids[1])
}

// A choice carries what its trader asks for, so that nobody has to look it up.
func TestChoiceCarriesTheTradersTerms(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{
		Requisites: 1, SharePercent: "1.5", RatePercent: decimal.NewNullDecimal(decimal.NewFromInt(7)),
	})
	got := testenv.Must(b.reserve(want(1, "100")))(t)
	testenv.Need(t, got.TraderID == trader.ID && got.TraderSharePercent.String() == "1.5" &&
		got.TraderRatePercent.Decimal.String() == "7" && got.TraderRatePercent.Valid && got.Sealed != nil &&
		*got.Holder == "Ivan Petrov" && *got.Bank == "Sample Bank", "%+v", got)
}

func TestAmountLimitsOfARequisite(t *testing.T) {
	b := setup(t)
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, MinAmount: "100", MaxAmount: "500.50"}).Requisites[0]
	b.wantNone(t, want(1, "99.99"))
	b.wantChosen(t, want(2, "100"), id)
	b.wantChosen(t, want(3, "500.50"), id)
	b.wantNone(t, want(4, "500.51"))
}

func TestOnlyItsPool(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, Currency: "RUB", Method: "card"})
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, Currency: "AZN", Method: "sbp"})
	b.wantNone(t, want(1, "100"))
}

// A zone that is not known any more fails nobody else's choice: its requisite keeps UTC's clock.
func TestDroppedZoneFailsNobody(t *testing.T) {
	b := setup(t)
	ids := b.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	b.Exec(t,
		"update requisite set time_zone = 'Nowhere/Gone', daily_count = 1, work_from = '11:00', work_until = '13:00' where id = $1",
		ids[0])
	b.wantChosen(t, want(1, "100"), ids[0])
	b.wantChosen(t, want(2, "200"), ids[1])
}

// Two open payments never share requisite and amount; another amount is no matter.
func TestTakenSlotExcludes(t *testing.T) {
	b := setup(t)
	ids := b.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	b.wantChosen(t, want(1, "100"), ids[0])
	b.wantChosen(t, want(2, "100.00"), ids[1])
	b.wantNone(t, want(3, "100"))
	b.wantChosen(t, want(4, "100.01"), ids[0])
}

func TestSlotIsFreeAgainAtItsTime(t *testing.T) {
	b := setup(t)
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	first := want(1, "100")
	b.wantChosen(t, first, id)
	b.run(t, slot(id, first).Free(dbtest.Start.Add(10*time.Second), first.Now))
	early := want(2, "100")
	early.Now = dbtest.Start.Add(10*time.Second - time.Millisecond)
	b.wantNone(t, early)
	b.wantChosen(t, want(10, "100"), id)
	// The slot has gone to payment 10: the first payment can neither free it nor take it back.
	b.run(t, slot(id, first).Free(dbtest.Start, first.Now))
	b.run(t, slot(id, first).Take(first.Now))
	testenv.Want(t, b.holder(t, id), 10, "who has the slot")
	b.wantNone(t, want(11, "100"))
}

// A payment that is set back to pending takes its own slot again while that rests.
func TestSlotIsTakenAgainByItsPayment(t *testing.T) {
	b := setup(t)
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	own := want(1, "100")
	b.wantChosen(t, own, id)
	b.run(t, slot(id, own).Free(dbtest.Start.Add(time.Hour), own.Now))
	b.run(t, slot(id, own).Take(own.Now))
	late := want(2, "100")
	late.Now = dbtest.Start.Add(2 * time.Hour)
	b.wantNone(t, late)
}

func TestNobody(t *testing.T) {
	setup(t).wantNone(t, want(1, "100"))
}

// holder is the payment that has a requisite's only slot.
func (b bundle) holder(t *testing.T, id int64) (payment int64) {
	t.Helper()
	b.Get(t, &payment, "select payment_id from requisite_slot where requisite_id = $1", id)
	return payment
}

// Everybody of a trader who is short is passed by, and what was tried on them leaves no trace.
func TestShortTraderIsPassedBy(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 3, USDT: "0.99999999"})
	rich := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, USDT: "1"})
	one := func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(1) }
	// As far as the blind try goes anybody will do: only a look tells who is short.
	b.Exec(t,
		"insert into requisite_slot select id, 100, 77, 'infinity', hash from requisite where id = (select min(id) from requisite)")
	got, err := b.reserveHolding(want(1, "100"), one)
	testenv.Need(t, err == nil && got.ID == rich.Requisites[0], "got requisite %d (%v)", got.ID, err)
	_, err = b.reserveHolding(want(2, "100"), func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(2) })
	testenv.Need(t, isNone(err), "without USDT: %v", err)
}

// An error that says nothing of the candidate ends the search.
func TestOtherErrorsEndTheSearch(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 2})
	testenv.NoError(t, b.settings.Current(t.Context()))
	search := b.settings.Requisites().Search(want(1, "100").Want, nothing)
	for c := range search.Candidates(t.Context(), b.Queries()) {
		testenv.Need(t, search.Over(c, errors.New("it is broken")), "the search goes on")
		break
	}
	testenv.NoError(t, search.Err())
}
