package payment_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

// oneOrder is the case in which all ask for the same payment: one creates, and
// the others answer with what it made.
const oneOrder = "one order id"

// Many calls at the same time over two replicas, with room for fewer: as many
// get through as there is room for, the others get the documented answer, and
// nobody who could have been served is refused.
func TestWhatTheDatabaseDecides(t *testing.T) {
	t.Parallel()
	calls := testenv.Pick(t, 50, 200)
	same := func(int) string { return "500" }
	for name, c := range map[string]struct {
		limit  string
		amount func(n int) string // nil is another for each
		usdt   string
		room   int
	}{
		"a day's count": {"update requisite set daily_count = 10", nil, "10000", 30},
		// Ten of 100.00 to 101.99 come to no more than 1,020 and eleven
		// to 1,100 at least.
		"a day's sum": {
			"update requisite set daily_sum = 1050",
			func(n int) string { return fmt.Sprintf("%d.%02d", 100+n/100, n%100) }, "10000", 30,
		},
		"open payments":                     {"update requisite set open_payments = 7", nil, "10000", 21},
		"a day's count of the trader's own": {"update requisite set daily_count = 50, own_daily_count = 10", nil, "10000", 30},
		"open payments of the trader's own": {"update requisite set own_open_payments = 7", nil, "10000", 21},
		// One amount goes once on each requisite, and no free one is
		// overlooked.
		"one amount": {"select 1", same, "10000", 3},
		// Everybody wants the one requisite: it is busy most of the
		// time, but never gone.
		"one requisite": {"update requisite set enabled = id = (select min(id) from requisite)", nil, "10000", calls},
		// 50.00 at 100 hold 0.5 USDT each.
		"a trader's USDT": {
			"update requisite set min_amount = 1",
			func(n int) string { return fmt.Sprintf("50.%02d", n%3) }, "4.4999", 8,
		},
		oneOrder: {"select 1", same, "10000", calls},
	} {
		t.Run(name, func(t *testing.T) {
			b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: c.usdt, Requisites: 3})
			b.Exec(t, c.limit)
			services := []*payment.Service{b.payments, b.replica(t, inforce.Usable)}
			var created atomic.Int64
			errs := testenv.AtOnce(calls, func(n int) error {
				r := request(fmt.Sprint("order-", n))
				if r.Amount = fmt.Sprint(100 + n); c.amount != nil {
					r.Amount = c.amount(n)
				}
				if name == oneOrder {
					r.OrderID = "the-order"
				}
				got, err := services[n%2].Create(context.Background(), merchant.Caller, r)
				if err == nil && !got.Replay {
					created.Add(1)
				}
				return err
			})
			testenv.Want(t, dbtest.Through(t, errs, "collect_requisites_not_available"), c.room, "calls that got a payment")
			want := c.room
			if name == oneOrder {
				want = 1
			}
			testenv.Want(t, int(created.Load()), want, "payments made")
			testenv.Want(t, b.Count(t, "select count(*) from payment"), want, "payments stored")
			testenv.Want(t, b.Count(t, "select count(*) from payment_key"), want, "order ids taken")
			b.Audit(t)
		})
	}
}

// What is switched off under load is so for every call that begins a second
// later, on every replica.
func TestSwitchedOffWithinASecond(t *testing.T) {
	t.Parallel()
	// Fewer calls find it as well when what they may use is older: only the
	// whole check makes as many as it can.
	usable, pause := testenv.Pick(t, 100*time.Millisecond, inforce.Usable), testenv.Pick(t, 10*time.Millisecond, 0)
	for name, off := range map[string]string{
		"cashbox":   "update cashbox set collect_enabled = false",
		"method":    "update cashbox_method set enabled = false",
		"trader":    "update trader set enabled = false",
		"requisite": "update requisite set enabled = false",
		"break":     "update trader set on_break = true",
		"own":       "update requisite set own_enabled = false",
		"limit":     "insert into platform_limit values ('RUB', 1, 2)",
		"rate":      "delete from rate",
	} {
		t.Run(name, func(t *testing.T) {
			b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "100000", Requisites: 5})
			ctx, stop := context.WithCancel(t.Context())
			var switchedOff atomic.Pointer[time.Time]
			var before, late atomic.Int64
			var running sync.WaitGroup
			for replica := range 2 {
				// Nothing renews this memory but the calls
				// themselves, when it is too old.
				service := b.replica(t, usable)
				running.Go(func() {
					for n := 0; ctx.Err() == nil; n++ {
						time.Sleep(pause)
						begun, r := time.Now(), request(fmt.Sprint("order-", replica, "-", n))
						r.Amount = fmt.Sprintf("%d.%02d", 100+n/100, n%100)
						_, err := service.Create(context.Background(), merchant.Caller, r)
						at := switchedOff.Load()
						if err == nil && at == nil {
							before.Add(1)
						}
						if err == nil && at != nil && begun.After(at.Add(usable)) {
							late.Add(1)
						}
					}
				})
			}
			testenv.Until(t, "payments are made", func() bool { return before.Load() > 0 })
			b.Exec(t, off)
			at := time.Now()
			switchedOff.Store(&at)
			time.Sleep(usable * 3 / 2)
			stop()
			running.Wait()
			testenv.Check(t, before.Load() != 0 && late.Load() == 0,
				"%d payments were made before, and %d more than a second after it was switched off", before.Load(),
				late.Load())
		})
	}
}

// A memory that is not renewed costs a retry and never a wrong payment: a
// requisite that is switched off gets none, and nobody is refused by what has
// been changed since.
func TestOldMemory(t *testing.T) {
	b := setup(t)
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	ids := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 2}).Requisites
	for n, c := range []struct{ before, since string }{
		{"select 1", "update requisite set enabled = false where id = (select min(id) from requisite)"},
		{"update cashbox set collect_enabled = false", "update cashbox set collect_enabled = true"},
		{"update cashbox_method set enabled = false", "update cashbox_method set enabled = true"},
		{"update requisite set enabled = false", "update requisite set enabled = true where id = (select max(id) from requisite)"},
		{"delete from rate", "insert into rate values ('RUB', 100, 'test', now(), 'infinity')"},
		{"insert into platform_limit values ('RUB', 1, 2)", "update platform_limit set max_amount = 5000"},
	} {
		b.Exec(t, c.before)
		service := b.replica(t, time.Hour)
		b.Exec(t, c.since)
		created, err := service.Create(t.Context(), merchant.Caller, requestOf(fmt.Sprint("order-", n), fmt.Sprint(1000+n)))
		testenv.Check(t, err == nil && *created.Payment.RequisiteID == ids[1],
			"after %s: %+v, %v", c.since, created.Payment.RequisiteID, err)
	}
}

// Settings that cannot be renewed are used until they are too old. Then
// payments are refused for the time being. The whole check waits for an answer
// that does not come; here it is an error at once.
func TestSettingsThatCannotBeRenewed(t *testing.T) {
	b, merchant, _ := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 5})
	fresh := b.replica(t, time.Hour)
	old := b.replica(t, time.Nanosecond)
	beside := testenv.Must(pgx.Connect(t.Context(), b.URL))(t)
	defer func() { _ = beside.Close(context.Background()) }()
	do := func(little, all string) {
		testenv.Must(beside.Exec(t.Context(), testenv.Pick(t, little, all)))(t)
	}
	create := func(service *payment.Service, order string) error {
		return testenv.ErrOf(service.Create(t.Context(), merchant.Caller, request(order)))
	}
	do("alter table setting_version rename to gone", "begin; lock table setting_version in access exclusive mode")
	testenv.NoError(t, create(fresh, "order-1"))
	dbtest.WantCode(t, create(old, "order-2"), "unavailable")
	do("alter table gone rename to setting_version", "rollback")
	testenv.NoError(t, create(old, "order-2"))
}

// everything is what creations and moves write.
func (b *bundle) everything(t *testing.T) string {
	t.Helper()
	return b.Text(t, `select (select string_agg(id || status || version, ',' order by id) from payment) || ' ' ||
		concat_ws(' ', (select count(*) from payment_history), (select count(*) from payment_key),
			(select count(*) from transfer), (select count(*) from account_pending), (select count(*) from webhook_event),
			(select count(*) from requisite_slot), (select sum(count) from requisite_day))`)
}

// forget removes the accounts of an owner, as a restore does to what was made
// after the backup.
func (b *bundle) forget(t *testing.T, kind string, id int64) {
	t.Helper()
	b.Exec(t, `delete from account_balance where account_id in
		(select id from account where owner_kind = $1 and owner_id = $2)`, kind, id)
	b.Exec(t, "delete from account where owner_kind = $1 and owner_id = $2", kind, id)
}

// A transaction that does not find a row that it has to change fails, although
// its COMMIT was sent with it: a creation whose trader has no account, a move
// in both directions without the trader's or the cashbox's, and one of a
// payment that is gone.
func TestMissingRowsLeaveNothing(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 3})
	ended, open := b.create(t, merchant.Caller, request("ended")), b.create(t, merchant.Caller, request("open"))
	b.set(t, ended.ID, "failed")
	move := func(id int64) error {
		_, _, err := b.payments.UpdateStatus(t.Context(), application, id, payment.Update{Status: "completed"})
		return err
	}
	refused := func(what string, attempt func() error) {
		t.Helper()
		before := b.everything(t)
		testenv.WantError(t, attempt(), db.ErrMissing, "%s", what)
		testenv.Want(t, b.everything(t), before, "%s left", what)
	}
	b.forget(t, "cashbox", merchant.CashboxID)
	refused("to complete without the cashbox's account", func() error { return move(open.ID) })
	b.forget(t, "trader", trader.ID)
	refused("to complete what had ended without the trader's account", func() error { return move(ended.ID) })
	refused("to create without the trader's account", func() error {
		return testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, request("new")))
	})
	row := b.row(t, open)
	b.Exec(t, "alter table payment disable trigger all")
	b.Exec(t, "delete from payment where id = $1", open.ID)
	refused("to move a payment that is gone", func() error {
		return db.Write(t.Context(), b.Pool, db.Do((*db.Queries).PaymentMove, db.PaymentMoveParams{
			MerchantID: row.MerchantID, ID: row.ID, Status: "failed", StatusAt: row.StatusAt, ExpiresAt: row.ExpiresAt,
			EventSequence: row.EventSequence, Version: row.Version,
		}))
	})
}

// A requisite that is gone is one that is not available.
func TestMissingRequisite(t *testing.T) {
	b, merchant, trader := trade(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	b.create(t, merchant.Caller, request("before"))
	before := b.everything(t)
	b.Exec(t, "alter table requisite_day drop constraint if exists requisite_day_requisite_id_fkey")
	b.Exec(t, "alter table requisite_slot drop constraint if exists requisite_slot_requisite_id_fkey")
	b.Exec(t, "alter table payment drop constraint if exists payment_requisite_id_fkey")
	b.Exec(t, "delete from requisite where id = $1", trader.Requisites[0])
	r := requestOf("after", "1001")
	dbtest.WantRefusal(t, testenv.ErrOf(b.payments.Create(t.Context(), merchant.Caller, r)), fault.Refused, "collect_requisites_not_available")
	testenv.Want(t, b.everything(t), before, "what is left")
}

// What a failover or a restore has lost is forgotten, though no row says that
// it is gone: its requisites are not chosen any more, and its merchants,
// cashboxes and methods take nothing.
func TestLostSettingsAreForgotten(t *testing.T) {
	t.Run("version gone back", func(t *testing.T) {
		testLostSettings(t, "update setting_version set version = $1")
	})
	// It has the version that is known, by other changes.
	t.Run("another server", func(t *testing.T) {
		testLostSettings(t, "update server set since = since + interval '1 second' where $1::bigint > 0")
	})
}

func testLostSettings(t *testing.T, lose string) {
	b := setup(t)
	// A server's start cannot be had twice in a test, so the tables have a
	// clock of their own for it.
	b.Exec(t, "create table server as select pg_postmaster_start_time() as since")
	b.Exec(t, `create function public.pg_postmaster_start_time() returns timestamptz language sql stable
		as 'select since from server' set search_path = public`)
	config := b.Pool.Config()
	config.ConnConfig.RuntimeParams["search_path"] = "public, pg_catalog"
	pool := testenv.Must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	var version int64
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	kept := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	b.Get(t, &version, "select version from setting_version")
	lost, losing := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1}), b.NewMerchant(t, dbtest.MerchantOpts{})
	settings := testenv.Must(inforce.NewKeeper(t.Context(), pool, 0, nil))(t)
	choosing := settings.Requisites()
	b.Exec(t, "delete from requisite where trader_id = $1", lost.ID)
	b.forget(t, "trader", lost.ID)
	b.Exec(t, "delete from trader where id = $1", lost.ID)
	b.Exec(t, "delete from cashbox_method where cashbox_id = $1 or method = 'sim'", losing.CashboxID)
	b.Exec(t, lose, version)
	changed := testenv.Must(settings.Renew(t.Context()))(t)
	testenv.Need(t, changed, "what was lost is no change")
	w := routing.Want{Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(1000), Now: b.clock.Now()}
	hold := func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(1) }
	candidates := testenv.Must(settings.Requisites().Explain(t.Context(), b.Queries(), w, hold))(t)
	testenv.Check(t, len(candidates) == 1 && candidates[0].TraderID == kept.ID && settings.Requisites() != choosing,
		"the candidates are %+v", candidates)
	shop := settings.Shop(losing.ID, &losing.CashboxID, "sbp", "RUB")
	testenv.Check(t, shop != nil && !shop.MethodEnabled, "the cashbox takes what was lost: %+v", shop)
	shop = settings.Shop(merchant.ID, nil, "sbp", "RUB")
	testenv.Check(t, shop != nil && shop.MethodEnabled, "the cashbox does not take what was kept: %+v", shop)
}
