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
