package reseal

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
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

var noError = testenv.NoError

var older, newer = bytes.Repeat([]byte{1}, vault.KeySize), bytes.Repeat([]byte{2}, vault.KeySize)

func open(t *testing.T, keys ...[]byte) *vault.Vault {
	t.Helper()
	return testenv.Must(vault.New(keys...))(t)
}

// merchant owns a payment: several of them, so that the order of the rows is not that of the payments' numbers.
func merchant(payment int64) int64 { return payment%3 + 1 }

// cards puts cards into the database, from a payment's number on, whose PAN is the number, sealed.
func cards(t *testing.T, d *dbtest.DB, v *vault.Vault, from, count int64) {
	t.Helper()
	for id := from; id < from+count; id++ {
		pan := testenv.Must(v.Seal(fmt.Append(nil, id), vault.Place{Table: "payment_card", Column: "pan", Row: id}))(t)
		expiry := testenv.Must(v.Seal(fmt.Append(nil, id), vault.Place{Table: "payment_card", Column: "expiry", Row: id}))(t)
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

// Everything is sealed again and says what it said, also what others write and move meanwhile, and
// nothing that they wrote is lost. What no key opens stays and is told.
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
				// A holder is long, so that the row moves, and is written by a process that seals with the newer key.
				place := vault.Place{Table: "payment_card", Column: "holder", Row: id}
				sealed, err := both.Seal(fmt.Appendf(nil, "%0200d", id), place)
				if err == nil {
					_, err = d.Pool.Exec(context.WithoutCancel(ctx),
						"update payment_card set holder = $3 where merchant_id = $1 and payment_id = $2", merchant(id),
						id, sealed)
				}
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

// A row that somebody has locked is not waited for: others are sealed meanwhile. It comes later, and what they write is not
// lost.
func TestRunPassesBy(t *testing.T) {
	t.Parallel()
	if dbtest.PoolSize() < 4 {
		t.Skip("it takes four connections")
	}
	d := dbtest.New(t)
	both := open(t, newer, older)
	cards(t, d, open(t, older), 1, 3)
	lock := func(sql string) pgx.Tx {
		tx := testenv.Must(d.Pool.Begin(t.Context()))(t)
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
				noError(t, erasing.Commit(t.Context()), reading.Commit(t.Context()))
				return
			}
		}
		t.Error("the card that nobody has locked was not sealed again while others were locked")
		noError(t, erasing.Rollback(t.Context()), reading.Rollback(t.Context()))
	})
	sealed, err := Run(t.Context(), d.Pool, both, vault.Fingerprint(newer))
	others.Wait()
	testenv.Check(t, err == nil && sealed == 4, "%d values were sealed again: %v", sealed, err)
	found := count(t, d)
	testenv.Check(t, len(found) == 1 && found[vault.Fingerprint(newer)] == 4, "sealed with %v", found)
	saysTheSame(t, d, open(t, newer), 3)
}
