// Package reseal encrypts again, with the first vault key, what older keys have
// encrypted, so that the older keys can be removed. It knows the sealed columns
// of all packages. The values stay the same.
package reseal

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway.example/internal/db"
	"gateway.example/internal/requisite"
	"gateway.example/internal/vault"
)

// column is a column with sealed values. The view sealed_value has the same
// columns.
type column struct {
	table, name string
	// key identifies a row, as whole numbers, and gives the order of
	// reading. In a table distributed over several nodes the merchant comes
	// first, so that one node answers.
	key []string
	// row is the column whose number a value is bound to.
	row string
	// bound is the place that a value was sealed for, if that is another
	// column.
	bound vault.Place
	// copied says that others may still write copies of older sealed values
	// for a moment.
	copied bool
}

var columns = []column{
	{table: "cashbox", name: "webhook_secret", key: []string{"id"}, row: "id"},
	{
		table: "webhook_secret_previous", name: "secret", key: []string{"id"}, row: "cashbox_id",
		bound: vault.Place{Table: "cashbox", Column: "webhook_secret"},
	},
	{table: "app_user", name: "totp_secret", key: []string{"id"}, row: "id"},
	{table: "session", name: "totp_pending", key: []string{"id"}, row: "id"},
	{table: "payin", name: "address", key: []string{"merchant_id", "id"}, row: "id"},
	{table: "payment_card", name: "pan", key: []string{"merchant_id", "payment_id"}, row: "payment_id"},
	{table: "payment_card", name: "expiry", key: []string{"merchant_id", "payment_id"}, row: "payment_id"},
	{table: "payment_card", name: "holder", key: []string{"merchant_id", "payment_id"}, row: "payment_id"},
	{table: "trader_acquirer", name: "secret", key: []string{"id"}, row: "trader_id"},
	{table: "card_hash_key", name: "key", key: []string{"only_row::int"}, row: "1"},
	{table: "requisite", name: "sealed", key: []string{"id"}, row: "id", bound: requisite.Place(0)},
	{table: "proposal", name: "secrets", key: []string{"id"}, row: "id"},
	{table: "bank_device", name: "secret", key: []string{"id"}, row: "id"},
	{table: "bank_message", name: "text", key: []string{"id"}, row: "id"},
	{table: "payout_file", name: "content", key: []string{"id"}, row: "id"},
	{table: "notify_channel", name: "address", key: []string{"id"}, row: "id"},
	// Last, because payments are made with copies of requisites in the
	// memory of processes.
	{
		table: "payment", name: "requisite_sealed", key: []string{"merchant_id", "id"},
		row: "coalesce(requisite_id, 0)", bound: requisite.Place(0), copied: true,
	},
}

func (c column) String() string { return c.table + "." + c.name }

func (c column) place(row int64) vault.Place {
	if c.bound.Table == "" {
		c.bound = vault.Place{Table: c.table, Column: c.name}
	}
	c.bound.Row = row
	return c.bound
}

// Use is how many values of a column a vault key has sealed.
type Use struct {
	Fingerprint, Column string
	Values              int64
}

// Count counts what each vault key has sealed. It reads everything that is
// sealed.
func Count(ctx context.Context, q *db.Queries) ([]Use, error) {
	rows, err := q.SealedCount(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what is sealed: %w", err)
	}
	return db.Each(rows, func(row db.SealedCountRow) Use {
		return Use{Fingerprint: row.Fingerprint, Column: row.Place, Values: row.Sealed}
	}), nil
}

const (
	// batch is how many rows are read at a time, and how many values at
	// most are written in one transaction.
	batch = 500
	// mostPasses limits how often a column is read again for values that
	// were being written.
	mostPasses = 20
	// pause gives their writers time.
	pause = 100 * time.Millisecond
	// copiedFor is how long payments may still be made with an older copy
	// of a requisite: the age of settings in memory, and the wait for
	// locks.
	copiedFor = 3 * time.Second
)

// Run seals everything again that was not sealed with the vault's first key,
// which has this fingerprint, and returns how many values that were. It may run
// beside gateways that have all keys of the vault, be stopped at any time, and
// run twice at the same time. It leaves what it cannot open, and perhaps a few
// values that were written all the time: Count shows both.
func Run(ctx context.Context, pool db.Pool, v *vault.Vault, first string) (int64, error) {
	var all int64
	for _, c := range columns {
		if c.copied { // requisites may have been sealed by a run before or beside this one
			time.Sleep(copiedFor)
		}
		for range mostPasses {
			p, err := c.pass(ctx, pool, v, first)
			all += p.sealed
			if err != nil {
				return all, fmt.Errorf("seal %s again: %w", c, err)
			}
			if p.passedBy == 0 {
				break
			}
			time.Sleep(pause)
		}
	}
	return all, nil
}

// passed is the result of one pass: how many values were sealed again, and how
// many could not be yet.
type passed struct{ sealed, passedBy int64 }

// pass reads a column once.
func (c column) pass(ctx context.Context, pool db.Pool, v *vault.Vault, first string) (all passed, err error) {
	after := slices.Repeat([]int64{math.MinInt64}, len(c.key))
	for {
		values, err := c.read(ctx, pool, first, after)
		if err != nil || len(values) == 0 {
			return all, err
		}
		after = values[len(values)-1].key
		values = slices.DeleteFunc(values, func(one value) bool { return one.sealed == nil })
		if len(values) == 0 {
			continue
		}
		var p passed
		err = db.InTx(ctx, pool, func(tx pgx.Tx, _ *db.Queries) (err error) {
			p, err = c.write(ctx, tx, v, values)
			return err
		})
		if db.IsLockTimeout(err) {
			p = passed{passedBy: 1}
		} else if err != nil {
			return all, err
		}
		all.sealed, all.passedBy = all.sealed+p.sealed, all.passedBy+p.passedBy
	}
}

// value is a row, with its value if that was not sealed with the first key.
type value struct {
	key    []int64
	row    int64
	sealed []byte
}

// read reads the next rows after a key.
func (c column) read(ctx context.Context, pool db.Pool, first string, after []int64) ([]value, error) {
	keys := strings.Join(c.key, ", ")
	rows, err := pool.Query(ctx, fmt.Sprintf(`select array[%[1]s]::bigint[], %[2]s::bigint, case when
			length(%[3]s) > 5 and get_byte(%[3]s, 0) = 1 and substring(%[3]s from 2 for 4) <> decode($1, 'hex') then %[3]s end
		from %[4]s where (%[1]s) > (%[5]s) order by %[1]s limit %[6]d`,
		keys, c.row, c.name, c.table, c.parameters(2), batch), arguments([]any{first}, after)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (one value, err error) {
		return one, row.Scan(&one.key, &one.row, &one.sealed)
	})
}

// parameters are the placeholders of a key, from a number on.
func (c column) parameters(from int) string {
	list := make([]string, len(c.key))
	for i := range list {
		list[i] = fmt.Sprintf("$%d::bigint", from+i)
	}
	return strings.Join(list, ", ")
}

func arguments(before []any, key []int64) []any {
	for _, k := range key {
		before = append(before, k)
	}
	return before
}

// write replaces values, each only if it is still what was read. It skips rows
// that others have locked, and holds its own locks only while it writes.
func (c column) write(ctx context.Context, tx pgx.Tx, v *vault.Vault, values []value) (p passed, err error) {
	_, err = tx.Exec(ctx, "set local lock_timeout = '500ms'; set local idle_in_transaction_session_timeout = '2s'")
	if err != nil {
		return p, err
	}
	found := fmt.Sprintf("(%s) = (%s)", strings.Join(c.key, ", "), c.parameters(3))
	update := fmt.Sprintf(`update %[1]s set %[2]s = $2 where %[3]s and %[2]s = $1
		and exists (select from %[1]s where %[3]s for no key update skip locked)`, c.table, c.name, found)
	var updates pgx.Batch
	for _, one := range values {
		secret, err := v.Open(one.sealed, c.place(one.row))
		if err != nil {
			continue // its key is not among ours
		}
		again := v.Seal(secret, c.place(one.row))
		updates.Queue(update, arguments([]any{one.sealed, again}, one.key)...).Exec(func(tag pgconn.CommandTag) error {
			p.sealed += tag.RowsAffected()
			p.passedBy += 1 - tag.RowsAffected()
			return nil
		})
	}
	return p, tx.SendBatch(ctx, &updates).Close()
}
