package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// written has so many callers write together, and returns what each of them was
// answered.
func written(t *testing.T, d *dbtest.DB, many int, what func(i int) ([]db.Query, []db.Lock)) []chan error {
	t.Helper()
	w := db.NewWriter(d.Pool, 20, 5*time.Millisecond)
	release := w.Occupy()
	answers := make([]chan error, many)
	for i := range many {
		answers[i] = make(chan error, 1)
		queries, locks := what(i)
		go func() { answers[i] <- w.Write(context.WithoutCancel(t.Context()), queries, locks...) }()
	}
	release(many)
	return answers
}

const probe = `create table probe (id bigint generated always as identity, of integer not null, check (of <> 3));
	create table wanted (id integer primary key, count integer not null default 0);
	insert into wanted (id) select generate_series(0, 11)`

func probed(of int) db.Query { return db.Raw(fmt.Sprintf("insert into probe (of) values (%d)", of)) }

// What goes together has its own fate each: one that a constraint refuses is
// nothing to the others, and one whose row is held waits without them.
func TestWriterParts(t *testing.T) {
	d := setup(t)
	d.Exec(t, probe)
	tx := testenv.Must(d.Open(t, 1, db.ForCommands).Begin(t.Context()))(t)
	_, err := tx.Exec(t.Context(), "select from wanted where id = 7 for update")
	testenv.NoError(t, err)
	answers := written(t, d, 12, func(i int) ([]db.Query, []db.Lock) {
		count := db.Raw(fmt.Sprintf("update wanted set count = count + 1 where id = %d", i))
		return []db.Query{probed(i)}, db.Locks(0, int64(i), count)
	})
	for i, answer := range answers {
		switch i {
		case 7:
		case 3:
			testenv.Check(t, db.IsCheckViolation(<-answer), "the one that is refused")
		default:
			testenv.NoError(t, <-answer)
		}
	}
	testenv.Want(t, d.Count(t, "select count(*) from probe"), 10, "written while one waits")
	testenv.NoError(t, tx.Rollback(t.Context()))
	testenv.NoError(t, <-answers[7])
	testenv.Want(t, d.Count(t, "select count(*) from (select of from probe group by of having count(*) = 1) once"), 11, "written once")
	testenv.Want(t, d.Count(t, "select count(*) from wanted where count = case id when 3 then 0 else 1 end"), 12, "counted once")
}

const probeInsert = "-- name: ProbeInsert :exec\ninsert into probe (of, said)\nvalues ($1, $2)\n"

// Rows that go together are inserted by few statements, in the callers' order,
// and one that is refused is still nothing to the others.
func TestWriterJoinsInserts(t *testing.T) {
	d := setup(t)
	d.Exec(t, probe)
	d.Exec(t, `alter table probe add said text[];
		create table stated (id integer);
		create function state() returns trigger language plpgsql as 'begin insert into stated values (1); return null; end';
		create trigger state after insert on probe for each statement execute function state()`)
	insert := func(from, but int) func(int) ([]db.Query, []db.Lock) {
		return func(i int) ([]db.Query, []db.Lock) {
			of := from + i
			if i == but {
				of = 3
			}
			var said []string
			if i%2 == 0 {
				said = []string{fmt.Sprint(i), "it's"}
			}
			return []db.Query{db.Row(probeInsert, of, said), db.Row("-- name: NoteInsert :exec\ninsert into probe (of)\nvalues ($1)\n", 100+of)}, nil
		}
	}
	for _, answer := range written(t, d, 13, insert(10, -1)) {
		testenv.NoError(t, <-answer)
	}
	testenv.Want(t, d.Count(t, "select count(*) from stated"), 6, "thirteen and thirteen rows are eight, four and one each")
	testenv.Want(t, d.Count(t, `select count(distinct of) from probe where of < 100`),
		13, "written once")
	testenv.Want(t, d.Count(t, "select count(*) from probe where said = array[(of - 10)::text, 'it''s']"), 7, "with what each said")

	for i, answer := range written(t, d, 6, insert(30, 4)) {
		err := <-answer
		testenv.Check(t, db.IsCheckViolation(err) == (i == 4), "number %d was answered %v", i, err)
	}
	testenv.Want(t, d.Count(t, "select count(*) from probe where of between 30 and 35"), 5, "written without the one")
	testenv.Want(t, d.Count(t, "select count(distinct xmin::text) from probe where of between 30 and 35"), 1, "the others' transactions")
}

// Rows of several merchants go together, also where merchants are on several
// nodes, and also once the plan no longer follows the values.
func TestWriterJoinsMerchants(t *testing.T) {
	d := setup(t)
	const times, many = 8, 5
	for n := range times {
		for _, answer := range written(t, d, many, func(i int) ([]db.Query, []db.Lock) {
			return []db.Query{db.Do((*db.Queries).PaymentKeyInsert, db.PaymentKeyInsertParams{
				MerchantID: int64(i + 1), Channel: "api", OrderID: fmt.Sprint(n), PaymentID: int64(n*many + i),
			})}, nil
		}) {
			testenv.NoError(t, <-answer)
		}
	}
	testenv.Want(t, d.Count(t, "select count(*) from payment_key where payment_id = order_id::bigint * 5 + merchant_id - 1"), times*many, "keys")
}

// Rows that others want are locked last, and in one order.
func TestWriterLocksInOrder(t *testing.T) {
	d := setup(t)
	d.Exec(t, probe)
	for _, answer := range written(t, d, 3, func(i int) ([]db.Query, []db.Lock) {
		low, high := db.Locks(db.LocksRequisite, int64(30-i), probed(30-i)), db.Locks(db.LocksAccount, int64(20-i), probed(120-i))
		return []db.Query{probed(0)}, append(high, low...)
	}) {
		testenv.NoError(t, <-answer)
	}
	var order []string
	rows := testenv.Must(d.Pool.Query(t.Context(), "select of::text from probe order by id"))(t)
	for rows.Next() {
		var of string
		testenv.NoError(t, rows.Scan(&of))
		order = append(order, of)
	}
	testenv.Want(t, strings.Join(order, " "), "0 0 0 28 29 30 118 119 120", "the order")
}

// Where the connection is lost, nobody knows what became of it, and nobody
// writes again.
func TestWriterLosesTheAnswer(t *testing.T) {
	d := setup(t)
	d.Exec(t, probe)
	for _, answer := range written(t, d, 5, func(i int) ([]db.Query, []db.Lock) {
		end := "select 1"
		if i == 4 {
			end = "select pg_terminate_backend(pg_backend_pid())"
		}
		return []db.Query{probed(10 + i)}, db.Locks(0, int64(i), db.Raw(end))
	}) {
		err := <-answer
		testenv.Check(t, errors.Is(err, fault.ErrOutcomeUnknown), "the answer is %v", err)
	}
	testenv.Want(t, d.Count(t, "select count(*) from probe"), 0, "written again")
}

// One whose query the database does not even prepare, for which it names no
// query, is nothing to the others.
func TestWriterPreparesApart(t *testing.T) {
	d := setup(t)
	d.Exec(t, probe)
	for i, answer := range written(t, d, 6, func(i int) ([]db.Query, []db.Lock) {
		if i == 4 {
			return []db.Query{db.Raw("insert into nowhere values (1)")}, nil
		}
		return []db.Query{probed(10 + i)}, nil
	}) {
		err := <-answer
		testenv.Check(t, (err != nil) == (i == 4), "number %d was answered %v", i, err)
	}
	testenv.Want(t, d.Count(t, "select count(*) from probe"), 5, "written without the one")
}
