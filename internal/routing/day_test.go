package routing_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

// candidate is a trader's only requisite, as it is chosen on a day.
func (b bundle) candidate(t *testing.T, w asked) routing.Candidate {
	t.Helper()
	list := testenv.Must(b.explain(t, w, nothing))(t)
	testenv.Want(t, len(list), 1, "candidates")
	return list[0]
}

// Whoever comes first on a day opens it, and as many payments as the limit allows get it, however many come at once.
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
				err := db.Write(context.Background(), b.Pool, routing.Reserve(c, w.Want, 1000*int64(day)+n)...)
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

// buffers counts what the last statement reads and writes of the database's pages.
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

// While an old snapshot keeps every version of a requisite's day, a payment reads no more of them than before, and neither does
// what takes one off the day, counts it again, or looks at how the requisite stands.
func TestOldSnapshotKeepsADayCheap(t *testing.T) {
	b := setup(t)
	b.NewTrader(t, dbtest.TraderOpts{Requisites: 1})
	snapshot := testenv.Must(pgx.Connect(t.Context(), b.URL))(t)
	t.Cleanup(func() { _ = snapshot.Close(context.Background()) })
	testenv.Must(snapshot.Exec(t.Context(), "begin isolation level repeatable read; select 1"))(t)
	c := b.candidate(t, want(1, "1"))
	n := int64(0)
	read := func() (pages []int) {
		for _, query := range append(
			routing.Reserve(c, want(n+1, strconv.FormatInt(n+100, 10)).Want, n+1),
			routing.CountDay(c.ID, c.Day, decimal.NewFromInt(1), false),
			routing.CountDay(c.ID, c.Day, decimal.NewFromInt(1), true),
		) {
			looked := &buffers{DBTX: b.Pool}
			testenv.NoError(t, query.Run(t.Context(), db.New(looked)))
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
		testenv.NoError(t, db.Write(t.Context(), b.Pool, routing.Reserve(c, w.Want, n)...))
	}
	n++
	for i, pages := range read() {
		// An index grows by a level, and an insert of a slot may split a page.
		testenv.Check(t, pages <= first[i]+12, "statement %d reads %d pages, and %d at first", i, pages, first[i])
	}
}
