package routing_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

// at is payment n asking for an amount at a moment of the test's day, in UTC.
func at(n int64, amount, clock string) asked {
	w := want(n, amount)
	moment, err := time.Parse("2006-01-02 15:04:05.000", clock)
	if err != nil {
		panic(err)
	}
	w.Now = moment
	return w
}

func TestDailySumToTheKopeck(t *testing.T) {
	b := setup(t)
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	b.Exec(t, "update requisite set daily_sum = 500 where id = $1", id)
	b.wantNone(t, want(1, "500.01"))
	b.wantChosen(t, want(2, "300"), id)
	b.wantNone(t, want(3, "200.01"))
	b.wantChosen(t, want(4, "200"), id)
	b.wantNone(t, want(5, "1"))
	// A payment that ends unpaid gives its part of the day back.
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	b.run(t, routing.CountDay(id, day, decimal.NewFromInt(200), false))
	b.wantNone(t, want(6, "200.02"))
	b.wantChosen(t, want(7, "150"), id)
}

func TestOpenPaymentLimit(t *testing.T) {
	b := setup(t)
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	b.Exec(t, "update requisite set open_payments = 2 where id = $1", id)
	b.wantChosen(t, want(1, "100"), id)
	b.wantChosen(t, want(2, "101"), id)
	b.wantNone(t, want(3, "102"))
	// A slot that rests is not open.
	w := want(1, "100")
	b.run(t, slot(id, w).Free(w.Now.Add(time.Hour), w.Now))
	b.wantChosen(t, want(4, "102"), id)
	b.wantNone(t, want(5, "103"))
}

func (b bundle) explain(
	t *testing.T, a asked, hold func(routing.Candidate) decimal.Decimal,
) ([]routing.Candidate, error) {
	t.Helper()
	testenv.NoError(t, b.settings.Current(t.Context()))
	return b.settings.Requisites().Explain(t.Context(), b.Queries(), a.Want, hold)
}

// The accounts of traders are read once and not for each requisite, of which an
// explanation looks at thousands.
func TestExplainReadsAccountsOnce(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 3, USDT: "10"})
	testenv.NoError(t, b.settings.Current(t.Context()))
	plan := b.Plan(t, func(q *db.Queries) error {
		_, err := b.settings.Requisites().Explain(t.Context(), q, want(1, "100").Want, nothing)
		return err
	})
	testenv.Check(t, strings.Contains(plan, "CTE standing") && !strings.Contains(plan, "Semi Join"),
		"the plan is\n%s", plan)
}

// Whatever the limits, a choice takes the first that the dry run calls free,
// and the constraints have the same limits.
func TestChoiceAndExplanationAgree(t *testing.T) {
	b := setup(t)
	ids := b.NewTrader(t, dbtest.TraderOpts{Requisites: 6, USDT: "1"}).Requisites
	random := rand.New(rand.NewPCG(7, 7))
	zones := []string{"Europe/Moscow", "Asia/Baku", "America/New_York", "UTC"}
	for n := range int64(150) {
		b.Exec(t, `update requisite set weight = $2, time_zone = $3, enabled = $4, min_amount = $5,
			daily_count = nullif($6, 0), daily_sum = nullif($7, 0), open_payments = nullif($8, 0),
			work_from = case when $9 > 0 then make_time($9, 0, 0) end, work_until = case when $9 > 0 then make_time($10, 30, 0) end
			where id = $1`, ids[random.IntN(len(ids))], 1+random.IntN(3), zones[random.IntN(len(zones))], random.IntN(5) > 0,
			1+random.IntN(120), random.IntN(4), random.IntN(400), random.IntN(4), random.IntN(24), random.IntN(24))
		w := want(n, fmt.Sprint(100+random.IntN(4)))
		w.Now = dbtest.Start.Add(time.Duration(n) * 40 * time.Minute)
		candidates := testenv.Must(b.explain(t, w, nothing))(t)
		var first int64
		for _, c := range candidates {
			if c.DroppedBy == routing.Free {
				first = c.ID
				break
			}
		}
		if first == 0 {
			b.wantNone(t, w)
			continue
		}
		b.wantChosen(t, w, first)
	}
}

// Of a trader who has no requisites nothing is read: the number of one who does
// not exist may be one for which there is no account.
func TestNothingIsReadOfNobody(t *testing.T) {
	b := setup(t)
	testenv.NoError(t, b.settings.Current(t.Context()))
	ended := testenv.Must(b.Pool.Begin(t.Context()))(t)
	testenv.NoError(t, ended.Rollback(t.Context())) // it reads nothing any more
	list, err := b.settings.Requisites().Stand(t.Context(), db.New(ended), math.MaxInt64, 0, nil)
	testenv.Check(t, err == nil && len(list) == 0, "read %+v, %v", list, err)
}

// stand writes how a trader's requisites stand for their smallest payments,
// with 10 USDT to be held.
func (b bundle) stand(t *testing.T, traderID int64, now asked) map[int64]string {
	t.Helper()
	testenv.NoError(t, b.settings.Current(t.Context()))
	list := testenv.Must(b.settings.Requisites().Stand(t.Context(), b.Queries(), traderID, 0,
		func(currency, method string, smallest decimal.Decimal) (routing.Want, func(routing.Candidate) decimal.Decimal) {
			w := routing.Want{Currency: currency, Method: method, Amount: decimal.Max(smallest, now.Amount), Now: now.Now}
			return w, func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(10) }
		}))(t)
	all := map[int64]string{}
	for _, s := range list {
		var drops []string
		for _, d := range s.Drops {
			text := string(d.Rule)
			if d.Limit.Valid || d.Used.Valid {
				text += fmt.Sprintf(" %s/%s", shown(d.Used), shown(d.Limit))
			}
			if d.FreeAt != nil {
				text += " " + d.FreeAt.UTC().Format("02T15:04")
			}
			drops = append(drops, text)
		}
		all[s.ID] = strings.Join(drops, "; ")
	}
	return all
}

func shown(d decimal.NullDecimal) string {
	if !d.Valid {
		return "-"
	}
	return d.Decimal.String()
}

// Every rule is told with its numbers. Moscow's day ends at 21:00 UTC.
func TestStandingsTellAllRules(t *testing.T) {
	b := setup(t)
	trader := b.NewTrader(t, dbtest.TraderOpts{Requisites: 12, USDT: "10"})
	ids := trader.Requisites
	other := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1, USDT: "9.5"})
	b.Exec(t, "update requisite set enabled = false where id = $1", ids[0])
	b.Exec(t, "update requisite set own_enabled = false, enabled = false where id = $1", ids[1])
	b.Exec(t, "update requisite set max_amount = 50 where id = $1", ids[2])
	b.Exec(t, "update requisite set own_min_amount = 200, max_amount = 150 where id = $1", ids[3])
	b.Exec(t, "update requisite set own_work_from = '18:00', own_work_until = '20:00' where id = $1", ids[4])
	b.Exec(t, "update requisite set daily_count = 5, own_daily_count = 2 where id = $1", ids[5])
	b.Exec(t, "update requisite set daily_sum = 199, own_daily_sum = 500 where id = $1", ids[6])
	b.Exec(t, "insert into requisite_day values ($1, '2026-11-20', 2, 300), ($2, '2026-11-20', 1, 100)", ids[5], ids[6])
	b.Exec(t, "update requisite set own_open_payments = 1 where id = $1", ids[7])
	b.Exec(t, "insert into requisite_slot select id, 55, 77, 'infinity', hash from requisite where id = $1", ids[7])
	b.Exec(t, "insert into requisite_slot select id, 100, 78, 'infinity', hash from requisite where id = $1", ids[8])
	b.Exec(t, "insert into requisite_slot select id, 100, 79, '2026-11-20 12:14:00Z', hash from requisite where id = $1", ids[9])
	b.Exec(t, "insert into requisite_slot select id, 100, 80, '2026-11-20 11:59:00Z', hash from requisite where id = $1", ids[10])
	b.Exec(t, `update requisite set own_daily_count = 1, own_open_payments = 1, work_from = '09:00', work_until = '10:00'
		where id = $1`, ids[11])
	b.Exec(t, "insert into requisite_day values ($1, '2026-11-20', 1, 100)", ids[11])
	b.Exec(t, "insert into requisite_slot select id, 100, 81, 'infinity', hash from requisite where id = $1", ids[11])
	want := map[int64]string{
		ids[0]: "requisite_off", ids[1]: "requisite_off; requisite_off_by_trader",
		ids[2]: "amount_limits 100/50", ids[3]: "amount_limits 200/150",
		ids[4]: "working_hours 20T15:00", ids[5]: "daily_count 2/2 20T21:00", ids[6]: "daily_sum 100/199 20T21:00",
		ids[7]: "open_limit 1/1", ids[8]: "slot_taken 100/-", ids[9]: "slot_taken 100/- 20T12:14", ids[10]: "",
		ids[11]: "working_hours 21T06:00; daily_count 1/1 20T21:00; open_limit 1/1; slot_taken 100/-",
	}
	now := at(1, "100", "2026-11-20 12:00:00.000")
	got := b.stand(t, trader.ID, now)
	testenv.Want(t, len(got), len(want), "requisites")
	for id, text := range want {
		testenv.Want(t, got[id], text, "requisite %d", id-ids[0])
	}
	// What stands in the way of a real choice is the first that is told.
	candidates := testenv.Must(b.explain(t, now, func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(10) }))(t)
	for _, c := range candidates {
		first, _, _ := strings.Cut(strings.Split(got[c.ID], ";")[0], " ")
		if c.TraderID == other.ID {
			first = string(routing.TraderShort)
		}
		testenv.Want(t, string(c.DroppedBy), first, "requisite %d is dropped by what is told first", c.ID)
	}
	testenv.Want(t, b.stand(t, other.ID, now)[other.Requisites[0]], "trader_short 9.5/10", "short")
	b.Exec(t, "update trader set on_break = true where id = $1", trader.ID)
	if got := b.stand(t, trader.ID, now); got[ids[10]] != "trader_break" ||
		got[ids[0]] != "trader_break; requisite_off" {
		t.Errorf("on a break: %q, %q", got[ids[10]], got[ids[0]])
	}
	b.Exec(t, "update trader set enabled = false, on_break = false where id = $1", trader.ID)
	testenv.Want(t, b.stand(t, trader.ID, now)[ids[10]], "trader_off", "switched off")
}

// Who does not know yet of a break, or of a limit of the trader's own, is
// stopped by the database.
func TestDatabaseGuardsWhatTradersSet(t *testing.T) {
	t.Parallel()
	for _, row := range testenv.Rows(t, "guards.txt") {
		t.Run(row[0], func(t *testing.T) {
			b := setup(t)
			id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
			b.wantChosen(t, want(1, "100"), id)
			w := want(2, "200")
			old := b.candidate(t, w)
			b.Exec(t, "update "+row[0])
			err, got := b.write(old, w.Want, 2), "nothing"
			if err != nil {
				got = db.Violated(err)
			}
			testenv.Want(t, got, row[1], "stopped, %v, by", err)
		})
	}
}

// candidate is a trader's only requisite, as it is chosen on a day.
func (b bundle) candidate(t *testing.T, w asked) routing.Candidate {
	t.Helper()
	list := testenv.Must(b.explain(t, w, nothing))(t)
	testenv.Want(t, len(list), 1, "candidates")
	return list[0]
}

// Whoever comes first on a day opens it, and as many payments as the limit
// allows get it, however many come at once.
func TestDayIsOpenedOnceByMany(t *testing.T) {
	b := setup(t)
	const callers, most = 8, 5
	id := b.NewTrader(t, dbtest.TraderOpts{Requisites: 1}).Requisites[0]
	b.Exec(t, "update requisite set daily_count = $2, daily_sum = 1e6 where id = $1", id, most)
	for day := range 20 {
		w := want(1, "1")
		w.Now = w.Now.AddDate(0, 0, day)
		c := b.candidate(t, w)
		var all sync.WaitGroup
		var made atomic.Int64
		for n := range int64(callers) {
			all.Go(func() {
				w := w
				w.Amount = decimal.NewFromInt(100*int64(day+1) + n)
				err := b.write(c, w.Want, 1000*int64(day)+n)
				switch violated := db.Violated(err); {
				case err == nil:
					made.Add(1)
				case violated != "requisite_day_count":
					t.Errorf("day %d: %v", day, err)
				}
			})
		}
		all.Wait()
		testenv.Want(t, made.Load(), most, "payments made on day %d", day)
		var versions string
		var counted, reserved decimal.Decimal
		testenv.NoError(t, b.Pool.QueryRow(t.Context(), `select string_agg(count::text, ' ' order by version), sum(sum),
			(select sum(amount) from requisite_slot where payment_id / 1000 = $1)
			from requisite_day where requisite_id = $2 and day = $3`, day, id, c.Day).Scan(&versions, &counted, &reserved))
		testenv.Want(t, versions, "0 "+strconv.Itoa(most), "counts on day %d", day)
		testenv.Check(t, counted.Equal(reserved), "day %d counts %s of %s", day, counted, reserved)
	}
}

// buffers counts what the last statement reads and writes of the database's
// pages.
type buffers struct {
	db.DBTX
	pages int
}

// Exec implements db.DBTX.
func (b *buffers) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	var made []struct {
		Plan map[string]any
	}
	err := b.QueryRow(ctx, "explain (analyze, buffers, format json) "+sql, args...).Scan(&made)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	for _, count := range []string{"Shared Hit Blocks", "Shared Read Blocks"} {
		n, _ := made[0].Plan[count].(float64)
		b.pages += int(n)
	}
	return pgconn.CommandTag{}, nil
}

// While an old snapshot keeps every version of a requisite's day, a payment
// reads no more of them than before, and neither does what takes one off the
// day, counts it again, or looks at how the requisite stands.
func TestOldSnapshotKeepsADayCheap(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	snapshot := testenv.Must(pgx.Connect(t.Context(), b.URL))(t)
	t.Cleanup(func() { _ = snapshot.Close(context.Background()) })
	testenv.Must(snapshot.Exec(t.Context(), "begin isolation level repeatable read; select 1"))(t)
	c := b.candidate(t, want(1, "1"))
	n := int64(0)
	read := func() (pages []int) {
		var queries []db.Query
		for _, lock := range routing.Reserve(c, want(n+1, strconv.FormatInt(n+100, 10)).Want, n+1) {
			queries = append(queries, lock.Query)
		}
		for _, query := range append(
			queries,
			routing.CountDay(c.ID, c.Day, decimal.NewFromInt(1), false),
			routing.CountDay(c.ID, c.Day, decimal.NewFromInt(1), true),
		) {
			looked := &buffers{DBTX: b.Pool}
			testenv.NoError(t, db.Run(t.Context(), db.New(looked), query))
			pages = append(pages, looked.pages)
		}
		n++
		return pages
	}
	read()
	first := read()
	for range 1500 {
		n++
		w := want(n, strconv.FormatInt(n+100, 10))
		testenv.NoError(t, b.write(c, w.Want, n))
	}
	n++
	for i, pages := range read() {
		// An index grows by a level, and an insert of a slot may split
		// a page.
		testenv.Check(t, pages <= first[i]+12, "statement %d reads %d pages, and %d at first", i, pages, first[i])
	}
}
