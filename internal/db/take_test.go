package db_test

import (
	"cmp"
	"fmt"
	"strings"
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

// Payments are moved by few statements, and each is: one that is not there, and
// one that somebody else has moved, are refused alone.
func TestWriterJoinsMoves(t *testing.T) {
	d := setup(t)
	const many = 7
	d.Exec(t, `insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
		status_at, expires_at, created_at, trader_id, base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent,
		hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt, version)
		select n % 2, n, gen_random_uuid(), 1, n, 'sbp', 'RUB', 100, '', 'pending', now(), now(), now(), 1,
		90, 'test', false, 1, 0, 1, 1, 0, 0, 0, n from generate_series(0, 6) n where n <> 4`)
	d.Exec(t, `create table stated (n integer);
		create function state() returns trigger language plpgsql as 'begin insert into stated values (1); return null; end'`)
	const state = "create trigger state after update on payment for each statement execute function state()"
	if !dbtest.OnCitus() { // which has no triggers on tables that it distributes
		d.Exec(t, state)
	}
	move := func(from, to string, shift, late int) (refused map[int]string) {
		refused = map[int]string{}
		for i, answer := range written(t, d, many, func(i int) ([]db.Query, []db.Lock) {
			version := i + shift
			if i == late {
				version--
			}
			return []db.Query{db.Do((*db.Queries).PaymentMove, db.PaymentMoveParams{
				MerchantID: int64(i % 2), ID: int64(i), Status: to, StatusReason: new(fmt.Sprint(from, i)), StatusAt: dbtest.Start,
				ExpiresAt: dbtest.Start, EventSequence: int32(i), Version: int32(version),
			})}, nil
		}) {
			if err := <-answer; err != nil {
				refused[i] = cmp.Or(db.Violated(err), err.Error())
			}
		}
		return refused
	}
	refused := move("a", "failed", 0, -1)
	testenv.Check(t, len(refused) == 1 && strings.Contains(refused[4], "division by zero"), "refused: %v", refused)
	testenv.Want(t, d.Count(t, `select count(*) from payment where status = 'failed' and status_reason = 'a' || id and event_sequence = id
		and version = id + 1`), many-1, "moved")
	d.Exec(t, `insert into payment select (jsonb_populate_record(p, '{"id": 4, "version": 5}')).* from payment p where id = 6`)
	refused = move("b", "pending", 1, 2)
	testenv.Check(t, len(refused) == 1 && refused[2] == "payment_version", "refused: %v", refused)
	d.Exec(t, "update payment set version = id + 2 where id = 2")
	d.Exec(t, "truncate stated")
	refused = move("c", "failed", 2, -1)
	testenv.Check(t, len(refused) == 0, "refused: %v", refused)
	if !dbtest.OnCitus() {
		testenv.Want(t, d.Count(t, "select count(*) from stated"), 3, "of four, two and one")
	}
	testenv.Want(t, d.Count(t, "select count(*) from payment where status_reason = 'c' || id and version = id + 3"), many, "moved")
}
