package routing_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
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

// keep is the memory of a process that asks for changes whenever a requisite is
// chosen.
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

// want is payment n asking for an amount of RUB over sbp, at Start plus n
// seconds.
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
		err := b.write(c, a.Want, a.payment)
		if search.Over(c, err) {
			return c, err
		}
	}
	return routing.Candidate{}, search.Err()
}

// write reserves a candidate for a payment.
func (b bundle) write(c routing.Candidate, w routing.Want, payment int64) error {
	return db.WriteTogether(context.Background(), b.Pool, nil, db.Part{Locks: routing.Reserve(c, w, payment)})
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
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), query))
}

func slot(id int64, a asked) routing.Slot {
	return routing.Slot{RequisiteID: id, Amount: a.Amount, PaymentID: a.payment}
}

// Payments come one after another, each with its amount, at its moment of the
// day if one is given, and the place among a trader's requisites of the one
// that it gets, or - for none.
func TestWhoIsChosen(t *testing.T) {
	t.Parallel()
	const of = " where id = (select min(id) from requisite)"
	for name, c := range map[string]struct {
		trader dbtest.TraderOpts
		sql    string
		asks   string
	}{
		"nobody":                         {asks: "100 -"},
		"never used, by id, then around": {trader: dbtest.TraderOpts{Requisites: 3}, asks: "100 0, 101 1, 102 2, 103 0, 104 1"},
		"never used, by weight, then around": {
			dbtest.TraderOpts{Requisites: 3}, "update requisite set weight = 1 + 2 * (id - (select min(id) from requisite))",
			"100 2, 101 1, 102 0, 103 2",
		},
		"another method's pool":   {trader: dbtest.TraderOpts{Requisites: 1, Method: "card"}, asks: "100 -"},
		"another currency's pool": {trader: dbtest.TraderOpts{Requisites: 1, Currency: "AZN"}, asks: "100 -"},
		"limits of the amount": {
			trader: dbtest.TraderOpts{Requisites: 1, MinAmount: "100", MaxAmount: "500.50"}, asks: "99.99 -, 100 0, 500.50 0, 500.51 -",
		},
		// Two open payments never share requisite and amount; another
		// amount is no matter.
		"a slot that is taken": {trader: dbtest.TraderOpts{Requisites: 2}, asks: "100 0, 100.00 1, 100 -, 100.01 0"},
		// A zone that is not known any more fails nobody else's choice:
		// its requisite keeps UTC's clock.
		"an unknown zone": {
			dbtest.TraderOpts{Requisites: 2},
			"update requisite set time_zone = 'Nowhere/Gone', daily_count = 1, work_from = '11:00', work_until = '13:00'" + of, "100 0, 200 1",
		},
		// Baku is 4 hours ahead of UTC: its day ends at 20:00 UTC.
		"a day's count in Baku": {
			dbtest.TraderOpts{Requisites: 1}, "update requisite set daily_count = 2, time_zone = 'Asia/Baku'",
			"100 0 19:59:59.998, 101 0 19:59:59.999, 102 - 19:59:59.999, 102 0 20:00:00.000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			ids := b.NewTrader(t, c.trader).Requisites
			if c.sql != "" {
				b.Exec(t, c.sql)
			}
			for n, text := range strings.Split(c.asks, ", ") {
				parts := strings.Fields(text)
				w := want(int64(n+1), parts[0])
				if len(parts) > 2 {
					w = at(int64(n+1), parts[0], "2026-11-20 "+parts[2])
				}
				if parts[1] == "-" {
					b.wantNone(t, w)
					continue
				}
				b.wantChosen(t, w, ids[testenv.Must(strconv.Atoi(parts[1]))(t)])
			}
		})
	}
}

// Another process, or one started anew, knows of each the last use that was
// counted.
func TestLastUseIsKept(t *testing.T) {
	b := setup(t)
	ids := b.NewTrader(t, dbtest.TraderOpts{Requisites: 2}).Requisites
	b.wantChosen(t, want(1, "100"), ids[0])
	b.wantChosen(t, want(2, "101"), ids[1])
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
	// The slot has gone to payment 10: the first payment can neither free
	// it nor take it back.
	b.run(t, slot(id, first).Free(dbtest.Start, first.Now))
	b.run(t, slot(id, first).Take(first.Now))
	testenv.Want(t, b.Count(t, "select payment_id from requisite_slot where requisite_id = $1", id), 10, "who has the slot")
	b.wantNone(t, want(11, "100"))
}

// A payment that is set back to pending takes its own slot again while that
// rests.
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

// Everybody of a trader who is short is passed by, and what was tried on them
// leaves no trace.
func TestShortTraderIsPassedBy(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 3, USDT: "0.99999999"})
	rich := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, USDT: "1"})
	one := func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(1) }
	// As far as the blind try goes anybody will do: only a look tells who
	// is short.
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
