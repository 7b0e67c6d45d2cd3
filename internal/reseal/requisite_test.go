package reseal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

// insertPayments makes payments that were given a requisite.
const insertPayments = `insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
	status_at, expires_at, created_at, trader_id, requisite_id, requisite_type, requisite_method, requisite_sealed, requisite_last4,
	base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent, hold_usdt, amount_usdt, profit_usdt,
	spread_trader_usdt, spread_platform_usdt)
	select 1 + n % 3, n, gen_random_uuid(), 1, 'order-' || n, 'sbp', 'RUB', 100, 'https://shop.example', 'completed',
	now(), now(), now(), 1, r.id, 'sbp', 'sbp', r.sealed, r.last4, 90, 'test', false, 1, 0, 1, 1, 0, 0, 0
	from generate_series($1::bigint, $2::bigint) n, requisite r where r.id = $3`

// saysStill opens requisites and those of payments, and looks whether they say what they said.
func saysStill(t *testing.T, d *dbtest.DB, v *vault.Vault, want map[int64]string) {
	t.Helper()
	rows := testenv.Must(d.Pool.Query(t.Context(), `select id, sealed, last4 from requisite where sealed is not null
		union all select requisite_id, requisite_sealed, requisite_last4 from payment where requisite_sealed is not null`))(t)
	seen := map[int64]bool{}
	var id int64
	var sealed []byte
	var last4 string
	testenv.Must(pgx.ForEachRow(rows, []any{&id, &sealed, &last4}, func() error {
		seen[id] = true
		place := vault.Place{Table: "requisite", Column: "value", Row: id}
		if value, err := v.Open(sealed, place); err != nil || string(value) != want[id] ||
			!strings.HasSuffix(want[id], last4) {
			t.Errorf("requisite %d says %s, ends in %s: %v; want %s", id, value, last4, err, want[id])
		}
		return nil
	}))(t)
	testenv.Want(t, len(seen), len(want), "requisites")
}

// Requisites and the copies that payments have are sealed again with another key.
func TestRequisitesAreSealedAgain(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	trader := d.NewTrader(t, dbtest.TraderOpts{Requisites: 3})
	for i, id := range trader.Requisites {
		d.Exec(t, insertPayments, 10*i+1, 10*i+10, id)
	}
	both := open(t, newer, make([]byte, vault.KeySize)) // the factories' key
	sealed := testenv.Must(Run(t.Context(), d.Pool, both, vault.Fingerprint(newer)))(t)
	if all := count(t, d); all[vault.Fingerprint(newer)] != sealed || len(all) != 1 || sealed < 33 {
		t.Errorf("%d were sealed again: %v", sealed, all)
	}
	want := map[int64]string{}
	for i, id := range trader.Requisites {
		want[id] = fmt.Sprintf("+7900%03d%04d", trader.ID, i)
	}
	saysStill(t, d, open(t, newer), want)
}
