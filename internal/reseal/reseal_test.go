package reseal

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var older, newer = bytes.Repeat([]byte{1}, vault.KeySize), bytes.Repeat([]byte{2}, vault.KeySize)

func open(t *testing.T, keys ...[]byte) *vault.Vault {
	t.Helper()
	return testenv.Must(vault.New(keys...))(t)
}

// merchant owns a payment: several of them, so that the order of the rows is
// not that of the payments' numbers.
func merchant(payment int64) int64 { return payment%3 + 1 }

// cards puts cards into the database, from a payment's number on, whose PAN is
// the number, sealed.
func cards(t *testing.T, d *dbtest.DB, v *vault.Vault, from, count int64) {
	t.Helper()
	for id := from; id < from+count; id++ {
		pan := v.Seal(fmt.Append(nil, id), vault.Place{Table: "payment_card", Column: "pan", Row: id})
		expiry := v.Seal(fmt.Append(nil, id), vault.Place{Table: "payment_card", Column: "expiry", Row: id})
		d.Exec(t, `insert into payment_card
			(merchant_id, payment_id, cashbox_id, brand, last4, pan, expiry, created_at)
			values ($1, $2, 1, 'visa', '4242', $3, $4, now())`, merchant(id), id, pan, expiry)
	}
}

func count(t *testing.T, d *dbtest.DB) map[string]int64 {
	t.Helper()
	uses := testenv.Must(Count(t.Context(), d.Queries()))(t)
	found := map[string]int64{}
	for _, use := range uses {
		found[use.Fingerprint] += use.Values
	}
	return found
}

// The columns are those of the view that tells what is sealed.
func TestColumns(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	view := d.Text(t, "select pg_get_viewdef('sealed_value')")
	var want, got []string
	for _, found := range regexp.MustCompile(`'([a-z_]+\.[a-z_]+)'::text`).FindAllStringSubmatch(view, -1) {
		want = append(want, found[1])
	}
	for _, c := range columns {
		got = append(got, c.String())
	}
	testenv.Check(t, slices.Equal(got, want) && len(want) >= 10, "columns %v, of the view %v", got, want)
}

// Everything is sealed again and says what it said, also what others write and
// move meanwhile, and nothing that they wrote is lost. What no key opens stays
// and is told.
func TestRun(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	both := open(t, newer, older)
	const many = 2000
	cards(t, d, open(t, older), 1, many)
	lost := open(t, bytes.Repeat([]byte{3}, vault.KeySize))
	cards(t, d, lost, many+1, 1)

	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	for writer := range int64(4) {
		writing.Go(func() {
			for id := writer + 1; ctx.Err() == nil; id = id%many + 1 {
				// A holder is long, so that the row moves, and
				// is written by a process that seals with the
				// newer key.
				place := vault.Place{Table: "payment_card", Column: "holder", Row: id}
				_, err := d.Pool.Exec(context.WithoutCancel(ctx),
					"update payment_card set holder = $3 where merchant_id = $1 and payment_id = $2", merchant(id),
					id, both.Seal(fmt.Appendf(nil, "%0200d", id), place))
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var running sync.WaitGroup
	var total int64
	for range 2 { // two at once
		running.Go(func() {
			sealed, err := Run(ctx, d.Pool, both, vault.Fingerprint(newer))
			testenv.Check(t, err == nil, "%v", err)
			mutex.Lock()
			total += sealed
			mutex.Unlock()
		})
	}
	running.Wait()
	stop()
	writing.Wait()
	testenv.Want(t, total, 2*many, "values were sealed again")
	found := count(t, d)
	testenv.Check(t, found[vault.Fingerprint(older)] == 0 && found[vault.Fingerprint(newer)] >= 2*many && len(found) == 2,
		"sealed with %v", found)
	saysTheSame(t, d, open(t, newer), many)
}

var mutex sync.Mutex

// saysTheSame opens every card, and looks whether it says what was sealed.
func saysTheSame(t *testing.T, d *dbtest.DB, v *vault.Vault, many int64) {
	t.Helper()
	for id := int64(1); id <= many; id++ {
		row := testenv.Must(d.Queries().CardGet(t.Context(), db.CardGetParams{MerchantID: merchant(id), PaymentID: id}))(t)
		for column, sealed := range map[string][]byte{"pan": row.Pan, "expiry": row.Expiry, "holder": row.Holder} {
			if sealed == nil {
				continue
			}
			want := fmt.Sprint(id)
			if column == "holder" {
				want = fmt.Sprintf("%0200d", id)
			}
			text, err := v.Open(sealed, vault.Place{Table: "payment_card", Column: column, Row: id})
			testenv.Need(t, err == nil && string(text) == want, "%s of %d says %q, %v", column, id, text, err)
		}
	}
}

// A row that somebody has locked is not waited for: others are sealed
// meanwhile. It comes later, and what they write is not lost.
func TestRunPassesBy(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	both := open(t, newer, older)
	cards(t, d, open(t, older), 1, 3)
	lock := func(sql string) pgx.Tx {
		tx := d.Beside(t)
		testenv.Must(tx.Exec(t.Context(), sql))(t)
		return tx
	}
	erasing := lock("update payment_card set pan = null, expiry = null where merchant_id = 2 and payment_id = 1")
	reading := lock("select from payment_card where merchant_id = 3 and payment_id = 2 for update")
	var others sync.WaitGroup
	others.Go(func() {
		card := db.CardGetParams{MerchantID: merchant(3), PaymentID: 3}
		for range 100 {
			time.Sleep(50 * time.Millisecond)
			row, err := d.Queries().CardGet(t.Context(), card)
			if err != nil {
				t.Error(err)
				break
			}
			place := vault.Place{Table: "payment_card", Column: "pan", Row: 3}
			if _, err := open(t, newer).Open(row.Pan, place); err == nil {
				testenv.NoError(t, erasing.Commit(t.Context()), reading.Commit(t.Context()))
				return
			}
		}
		t.Error("the card that nobody has locked was not sealed again while others were locked")
		testenv.NoError(t, erasing.Rollback(t.Context()), reading.Rollback(t.Context()))
	})
	sealed, err := Run(t.Context(), d.Pool, both, vault.Fingerprint(newer))
	others.Wait()
	testenv.Check(t, err == nil && sealed == 4, "%d values were sealed again: %v", sealed, err)
	found := count(t, d)
	testenv.Check(t, len(found) == 1 && found[vault.Fingerprint(newer)] == 4, "sealed with %v", found)
	saysTheSame(t, d, open(t, newer), 3)
}

// insertPayments makes payments that were given a requisite.
const insertPayments = `insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
	status_at, expires_at, created_at, trader_id, requisite_id, requisite_type, requisite_method, requisite_sealed, requisite_last4,
	base_rate, rate_source, rate_unavailable, markup_percent, trader_share_percent, hold_usdt, amount_usdt, profit_usdt,
	spread_trader_usdt, spread_platform_usdt)
	select 1 + n % 3, n, gen_random_uuid(), 1, 'order-' || n, 'sbp', 'RUB', 100, 'https://shop.example', 'completed',
	now(), now(), now(), 1, r.id, 'sbp', 'sbp', r.sealed, r.last4, 90, 'test', false, 1, 0, 1, 1, 0, 0, 0
	from generate_series($1::bigint, $2::bigint) n, requisite r where r.id = $3`

// saysStill opens requisites and those of payments, and looks whether they say
// what they said.
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

// Requisites and the copies that payments have are sealed again with another
// key.
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
