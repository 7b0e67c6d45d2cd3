package payment_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/routing"
	"gateway.example/internal/testenv"
)

// everything is what creations and moves write.
func (b *bundle) everything(t *testing.T) string {
	t.Helper()
	return b.Text(t, `select (select string_agg(id || status || version, ',' order by id) from payment) || ' ' ||
		concat_ws(' ', (select count(*) from payment_history), (select count(*) from payment_key),
			(select count(*) from transfer), (select count(*) from account_pending), (select count(*) from webhook_event),
			(select count(*) from requisite_slot), (select sum(count) from requisite_day))`)
}

// forget removes the accounts of an owner, as a restore does to what was made after the backup.
func (b *bundle) forget(t *testing.T, kind string, id int64) {
	t.Helper()
	b.Exec(t, `delete from account_balance where account_id in
		(select id from account where owner_kind = $1 and owner_id = $2)`, kind, id)
	b.Exec(t, "delete from account where owner_kind = $1 and owner_id = $2", kind, id)
}

// A transaction that does not find a row that it has to change fails, although its COMMIT was sent with it: a creation
// whose trader has no account, a move in both directions without the trader's or the cashbox's, and one of a
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
		if err := attempt(); !errors.Is(err, db.ErrMissing) {
			t.Errorf("%s: %v", what, err)
		}
		testenv.Want(t, b.everything(t), before, "%s left", what)
	}
	b.forget(t, "cashbox", merchant.CashboxID)
	refused("to complete without the cashbox's account", func() error { return move(open.ID) })
	b.forget(t, "trader", trader.ID)
	refused("to complete what had ended without the trader's account", func() error { return move(ended.ID) })
	refused("to create without the trader's account", func() error {
		return errOf(b.payments.Create(t.Context(), merchant.Caller, request("new")))
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
	r := request("after")
	r.Amount = "1001"
	_, err := b.payments.Create(t.Context(), merchant.Caller, r)
	dbtest.WantRefusal(t, err, fault.Refused, "collect_requisites_not_available")
	testenv.Want(t, b.everything(t), before, "what is left")
}

// What a failover or a restore has lost is forgotten, though no row says that it is gone: its requisites are not chosen
// any more, and its merchants, cashboxes and methods take nothing.
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
	// A server's start cannot be had twice in a test, so the tables have a clock of their own for it.
	b.Exec(t, "create table server as select pg_postmaster_start_time() as since")
	b.Exec(t, `create function public.pg_postmaster_start_time() returns timestamptz language sql stable
		as 'select since from server' set search_path = public`)
	config := b.Pool.Config()
	config.ConnConfig.RuntimeParams["search_path"] = "public, pg_catalog"
	pool := must(pgxpool.NewWithConfig(t.Context(), config))(t)
	t.Cleanup(pool.Close)
	var version int64
	merchant := b.NewMerchant(t, dbtest.MerchantOpts{})
	kept := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1})
	b.Get(t, &version, "select version from setting_version")
	lost, losing := b.NewTrader(t, dbtest.TraderOpts{USDT: "1000", Requisites: 1}), b.NewMerchant(
		t,
		dbtest.MerchantOpts{},
	)
	settings := must(directory.NewKeeper(t.Context(), pool, 0, nil))(t)
	choosing := settings.Requisites()
	b.Exec(t, "delete from requisite where trader_id = $1", lost.ID)
	b.forget(t, "trader", lost.ID)
	b.Exec(t, "delete from trader where id = $1", lost.ID)
	b.Exec(t, "delete from cashbox_method where cashbox_id = $1 or method = 'sim'", losing.CashboxID)
	b.Exec(t, lose, version)
	changed, err := settings.Renew(t.Context())
	if noError(t, err); !changed {
		t.Fatal("what was lost is no change")
	}
	w := routing.Want{Currency: "RUB", Method: "sbp", Amount: decimal.NewFromInt(1000), Now: b.clock.Now()}
	hold := func(routing.Candidate) decimal.Decimal { return decimal.NewFromInt(1) }
	candidates := must(settings.Requisites().Explain(t.Context(), b.Queries(), w, hold))(t)
	if len(candidates) != 1 || candidates[0].TraderID != kept.ID || settings.Requisites() == choosing {
		t.Errorf("the candidates are %+v", candidates)
	}
	if shop := settings.Shop(losing.ID, &losing.CashboxID, "sbp", "RUB"); shop == nil || shop.MethodEnabled {
		t.Errorf("the cashbox takes what was lost: %+v", shop)
	}
	if shop := settings.Shop(merchant.ID, nil, "sbp", "RUB"); shop == nil || !shop.MethodEnabled {
		t.Errorf("the cashbox does not take what was kept: %+v", shop)
	}
}
