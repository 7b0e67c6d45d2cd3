package reseal

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/directory"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

// The statements of the version before that write what is sealed now.
const (
	olderSlot = `insert into requisite_slot as s (requisite_id, amount, payment_id, free_at) values ($1, $2, $3, 'infinity')
		on conflict (requisite_id, amount) do update set payment_id = excluded.payment_id,
		free_at = case when s.free_at <= now() then excluded.free_at else '-infinity' end`
	olderRequisite = `insert into requisite (currency, method, trader_id, value, min_amount, max_amount, created_at)
		values ('RUB', 'sbp', 1, $1, 1, 1000, now()) returning id`
	olderPayment = `insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
		status_at, expires_at, created_at, event_sequence, trader_id, requisite_id, requisite_type, requisite_method, requisite_value,
		base_rate, rate_source, rate_unavailable, markup_percent, markup_source, trader_share_percent, hold_usdt, amount_usdt,
		profit_usdt, spread_trader_usdt, spread_platform_usdt)
		select 1 + n % 3, n, gen_random_uuid(), 1, 'order-' || n, 'sbp', 'RUB', 100, 'https://shop.example', 'completed',
		now(), now(), now(), 0, 1, $3, 'sbp', 'sbp', $4, 90, 'test', false, 1, 'trader', 0, 1, 1, 0, 0, 0
		from generate_series($1::bigint, $2::bigint) n`
	olderKey    = "update secret_key set seen_at = greatest(seen_at, now()) where purpose = 'vault'"
	olderChange = `insert into setting_change (at, actor, subject, subject_key, before, after)
		values (now(), 'operator:1', 'requisite', '1', null, jsonb_build_object('id', 1, 'value', $1::text))`
	olderGone = "update secret_key set noted_at = clock_timestamp(), older_at = now() - interval '1 hour'"
)

// A database of the version before is carried over while a process of that version goes on. Until it is gone, all that it reads
// stays as it knows it, and it and the new one keep out of each other's reservations. Then everything is sealed, whatever stops
// the round on its way, and says what it said.
func TestClear(t *testing.T) {
	t.Parallel()
	if dbtest.PoolSize() < 4 {
		t.Skip("it takes four connections")
	}
	const phone, card, later = "+79995550011", "2200000000000004", "+79995550022"
	d, safe, ctx := dbtest.New(t), dbtest.Requisites(), t.Context()
	d.Exec(t, "insert into secret_key (purpose, fingerprint, seen_at) values ('vault', 'aabbccdd', now())")
	d.Exec(t, "insert into trader (id, name, share_percent, created_at) values (1, 'Trader', 0, now())")
	made := func(value string) (id int64) {
		noError(t, d.Pool.QueryRow(ctx, olderRequisite, value).Scan(&id))
		return id
	}
	one, two, other, desk := made(phone), made(phone), made(card), made("")
	d.Exec(t, olderChange, phone)
	d.Exec(t, olderPayment, 1, 1200, one, phone)
	d.Exec(t, olderPayment, 1201, 1210, other, card)
	for _, slot := range [][3]int64{{one, 100, 1}, {two, 100, 2}, {two, 200, 3}} { // two of one amount on the phone
		d.Exec(t, olderSlot, slot[0], slot[1], slot[2])
	}
	left := func() int {
		return d.Count(t, "select count(*) from payment where requisite_value is not null") +
			d.Count(t, "select count(*) from requisite where value <> ''")
	}

	// The process of the version before is there.
	d.Exec(t, olderKey)
	noError(t, Clear(ctx, d.Pool, safe))
	testenv.Want(t, left(), 1213, "values in the clear while a process of the version before is about")
	testenv.Want(
		t,
		d.Count(t, "select count(*) from requisite_slot where hash is null"),
		1,
		"slots that would be there twice",
	)
	third := made(phone)
	d.Exec(t, olderPayment, 1211, 1211, third, phone)
	d.Exec(t, olderChange, later)
	noError(t, Hash(ctx, d.Pool, safe))
	for _, slot := range [][2]int64{{one, 200}, {third, 200}} {
		_, err := d.Pool.Exec(ctx, olderSlot, slot[0], slot[1], 9)
		testenv.Want(
			t,
			db.Violated(err),
			"requisite_slot_free",
			"the older process takes what is taken: %v violates",
			err,
		)
	}
	take := func(id int64, amount int64) error {
		return d.Queries().RequisiteTake(ctx, db.RequisiteTakeParams{
			ID: id, Day: dbtest.Start, Amount: decimal.NewFromInt(amount), PaymentID: 10, Now: dbtest.Start,
		})
	}
	testenv.Want(
		t,
		db.Violated(take(one, 200)),
		"requisite_slot_free",
		"the newer process takes what is taken: it violates",
	)
	noError(t, take(one, 300))
	_, err := d.Pool.Exec(ctx, olderSlot, third, 300, 11)
	testenv.Want(
		t,
		db.Violated(err),
		"requisite_slot_free",
		"the older process takes what the newer one has: %v violates",
		err,
	)
	made4, err := directory.InsertRequisite(ctx, d.Queries(), safe, later, db.RequisiteInsertParams{
		Currency:  "RUB",
		Method:    "sbp",
		TraderID:  1,
		MinAmount: decimal.NewFromInt(1),
		MaxAmount: decimal.NewFromInt(2),
		Now:       dbtest.Start,
	})
	noError(t, err)
	testenv.Want(
		t,
		d.Text(t, fmt.Sprintf("select value from requisite where id = %d", made4)),
		later,
		"what the older one reads",
	)

	// It is gone. A payment that somebody is changing is left for the next time.
	d.Exec(t, olderGone)
	tx, err := d.Pool.Begin(ctx)
	noError(t, err)
	_, err = tx.Exec(ctx, "select from payment where id = 7 for update")
	noError(t, err)
	noError(t, Clear(ctx, d.Pool, safe))
	testenv.Want(t, left(), 1, "values in the clear while a payment is locked")
	noError(t, tx.Rollback(ctx))
	var rounds sync.WaitGroup
	for range 2 {
		rounds.Go(func() { noErrors(t, Clear(ctx, d.Pool, safe)) })
	}
	rounds.Wait()
	testenv.Want(t, left(), 0, "values in the clear")
	for _, table := range []string{"requisite", "payment", "requisite_slot", "setting_change"} {
		rows, err := d.Pool.Query(ctx, "select x::text from "+table+" x")
		noError(t, err)
		texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
		noError(t, err)
		for _, value := range []string{phone, card, later} {
			if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, value[1:]) }) {
				t.Errorf("%s has %s in the clear", table, value)
			}
		}
	}
	want := map[int64]string{one: phone, two: phone, third: phone, other: card, made4: later}
	saysStill(t, d, dbtest.Vault(), want)
	testenv.Want(
		t,
		d.Count(t, fmt.Sprintf("select count(*) from requisite where id = %d and value = '' and sealed is null", desk)),
		1,
		"the desk is one still",
	)
	testenv.Want(
		t,
		d.Count(t, "select count(distinct hash) from requisite where value is null"),
		3,
		"values told apart",
	)
}

// saysStill opens requisites and those of payments, and looks whether they say what they said.
func saysStill(t *testing.T, d *dbtest.DB, v *vault.Vault, want map[int64]string) {
	t.Helper()
	rows, err := d.Pool.Query(t.Context(), `select id, sealed, last4 from requisite where sealed is not null
		union all select requisite_id, requisite_sealed, requisite_last4 from payment where requisite_sealed is not null`)
	noError(t, err)
	seen := map[int64]bool{}
	var id int64
	var sealed []byte
	var last4 string
	_, err = pgx.ForEachRow(rows, []any{&id, &sealed, &last4}, func() error {
		seen[id] = true
		place := vault.Place{Table: "requisite", Column: "value", Row: id}
		if value, err := v.Open(
			sealed,
			place,
		); err != nil || string(value) != want[id] ||
			!strings.HasSuffix(want[id], last4) {
			t.Errorf("requisite %d says %s, ends in %s: %v; want %s", id, value, last4, err, want[id])
		}
		return nil
	})
	noError(t, err)
	testenv.Want(t, len(seen), len(want), "requisites")
}

// Requisites and the copies that payments have are sealed again with another key.
func TestRequisitesAreSealedAgain(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{Requisites: 3})
	for i, id := range trader.Requisites {
		d.Exec(t, olderPayment, 10*i+1, 10*i+10, id, nil)
	}
	d.Exec(
		t,
		`update payment set requisite_sealed = r.sealed, requisite_last4 = r.last4 from requisite r where r.id = requisite_id`,
	)
	both := open(t, newer, make([]byte, vault.KeySize)) // the factories' key
	sealed, err := Run(t.Context(), d.Pool, both, vault.Fingerprint(newer))
	noError(t, err)
	if all := count(t, d); all[vault.Fingerprint(newer)] != sealed || len(all) != 1 || sealed < 33 {
		t.Errorf("%d were sealed again: %v", sealed, all)
	}
	want := map[int64]string{}
	for i, id := range trader.Requisites {
		want[id] = fmt.Sprintf("+7900%03d%04d", trader.ID, i)
	}
	saysStill(t, d, open(t, newer), want)
}
