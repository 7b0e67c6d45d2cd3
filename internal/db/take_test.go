package db_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// Requisites are taken for several payments by few statements, which look each
// up by its index, and each payment is counted: also two on one requisite.
func TestWriterJoinsTakes(t *testing.T) {
	d := setup(t)
	requisites := d.NewTrader(t, dbtest.TraderOpts{Requisites: 6}).Requisites
	d.Exec(t, `create table scanned (of text); create table stated (n integer);
		create function state() returns trigger language plpgsql as 'begin insert into stated values (1); return null; end';
		create trigger state after insert on requisite_slot for each statement execute function state()`)
	scans := db.Raw(`insert into scanned select relname from pg_stat_xact_user_tables
		where seq_scan > 0 and relname in ('requisite', 'requisite_day', 'trader')`)
	take := func(payment, requisite, amount int64) []db.Lock {
		return append(db.Locks(db.LocksDay, requisite, db.Do((*db.Queries).RequisiteTake, db.RequisiteTakeParams{
			ID: requisite, Day: dbtest.Start, Amount: decimal.NewFromInt(amount), PaymentID: payment, Now: dbtest.Start,
		})), db.Locks(db.LocksEndpoint, 1, scans)...)
	}
	answers := written(t, d, 8, func(i int) ([]db.Query, []db.Lock) {
		return nil, take(int64(i), requisites[i%6], int64(100+i))
	})
	for _, answer := range answers {
		testenv.NoError(t, <-answer)
	}
	testenv.Want(t, d.Count(t, "select count(*) from stated"), 4, "of two and two and four others: one, two, four, one")
	testenv.Want(t, d.Count(t, "select count(*) from scanned"), 0, "tables read whole")
	counted := `select count(*) from requisite_day d where version = 0 and d.count = (select count(*) from requisite_slot s
		where s.requisite_id = d.requisite_id) and d.sum = (select sum(amount) from requisite_slot s where s.requisite_id = d.requisite_id)`
	testenv.Want(t, d.Count(t, counted), 6, "requisites with what was taken")
	testenv.Want(t, d.Count(t, "select count(*) from requisite_slot where payment_id = amount - 100 and free_at = 'infinity'"), 8, "slots")

	// The fourth has no more, the third says the same as the fifth.
	d.Exec(t, "update requisite set enabled = false where id = $1", requisites[3])
	d.Exec(t, "update requisite set hash = (select hash from requisite where id = $2) where id = $1", requisites[2], requisites[4])
	refused := map[string]int{}
	for _, answer := range written(t, d, 6, func(i int) ([]db.Query, []db.Lock) {
		return nil, take(int64(100+i), requisites[i], 200)
	}) {
		if err := <-answer; err != nil {
			refused[db.Violated(err)]++
		}
	}
	testenv.Check(t, len(refused) == 2 && refused["requisite_day_count"] == 1 && refused["requisite_slot_free"] == 1, "refused: %v", refused)
	testenv.Want(t, d.Count(t, "select count(*) from requisite_slot where amount = 200"), 4, "taken without the two")
	testenv.Want(t, d.Count(t, counted), 6, "requisites with what was taken")
}
