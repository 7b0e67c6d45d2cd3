// Package reseal seals again, with the first vault key, what an older key sealed, so that the older
// one can be given up. It goes through the columns of all rooms: what a value says does not change.
package reseal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
	"gateway.example/internal/vault"
)

// column is one that has sealed values. The view sealed_value has the same columns.
type column struct {
	table, name string
	// row is the column with the number of the row that a value is bound to.
	row string
	// bound is where a value was sealed for, if that is another column.
	bound vault.Place
}

var columns = []column{
	{table: "cashbox", name: "webhook_secret", row: "id"},
	{
		table: "webhook_secret_previous", name: "secret", row: "cashbox_id",
		bound: vault.Place{Table: "cashbox", Column: "webhook_secret"},
	},
	{table: "app_user", name: "totp_secret", row: "id"},
	{table: "session", name: "totp_pending", row: "id"},
	{table: "payin", name: "address", row: "id"},
	{table: "payment_card", name: "pan", row: "payment_id"},
	{table: "payment_card", name: "expiry", row: "payment_id"},
	{table: "payment_card", name: "holder", row: "payment_id"},
	{table: "trader_acquirer", name: "secret", row: "trader_id"},
	{table: "card_hash_key", name: "key", row: "1"},
}

func (c column) String() string { return c.table + "." + c.name }

func (c column) place(row int64) vault.Place {
	if c.bound.Table == "" {
		c.bound = vault.Place{Table: c.table, Column: c.name}
	}
	c.bound.Row = row
	return c.bound
}

// Use is how many values of a column a vault key sealed.
type Use struct {
	Fingerprint, Column string
	Values              int64
}

// Count counts what each vault key sealed. It reads everything that is sealed.
func Count(ctx context.Context, q *db.Queries) ([]Use, error) {
	rows, err := q.SealedCount(ctx)
	if err != nil {
		return nil, fmt.Errorf("count what is sealed: %w", err)
	}
	uses := make([]Use, 0, len(rows))
	for _, row := range rows {
		uses = append(uses, Use{Fingerprint: row.Fingerprint, Column: row.Place, Values: row.Sealed})
	}
	return uses, nil
}

const (
	// blocks is how many blocks of a table, of 8 KiB, one transaction goes through: some hundred rows.
	blocks = 32
	// mostPasses bounds how often a column is gone through again, for values that were being written.
	mostPasses = 20
	// pause is for those who write them.
	pause = 100 * time.Millisecond
)

// Run seals everything again that the vault's first key, which has this fingerprint, did not seal,
// and answers how many values it was. It may run beside gateways that have all keys of the vault, be
// stopped at any time, and run twice at once. What cannot be opened stays as it is, and so may a few
// values that were being written all the time: Count tells of both.
func Run(ctx context.Context, pool *pgxpool.Pool, v *vault.Vault, first string) (int64, error) {
	var all int64
	for _, c := range columns {
		for range mostPasses {
			p, err := c.pass(ctx, pool, v, first)
			all += p.sealed
			if err != nil {
				return all, fmt.Errorf("seal %s again: %w", c, err)
			}
			// A row that is written may move to where this pass has been already.
			if p.sealed+p.passedBy == 0 {
				break
			}
			time.Sleep(pause)
		}
	}
	return all, nil
}

// passed is what came of the values that one pass has met: sealed again, or not at this time.
type passed struct{ sealed, passedBy int64 }

// pass goes through a column once, by where rows are in the table: that needs no index.
func (c column) pass(ctx context.Context, pool *pgxpool.Pool, v *vault.Vault, first string) (all passed, err error) {
	var size int64
	err = pool.QueryRow(ctx, "select pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint", c.table).
		Scan(&size)
	if err != nil {
		return all, fmt.Errorf("read how large the table is: %w", err)
	}
	for block := int64(0); block < size; block += blocks {
		var batch passed
		err = db.InTx(ctx, pool, func(tx pgx.Tx, _ *db.Queries) (err error) {
			batch, err = c.batch(ctx, tx, v, first, block)
			return err
		})
		if db.IsLockTimeout(err) {
			batch = passed{passedBy: 1}
		} else if err != nil {
			return all, err
		}
		all.sealed, all.passedBy = all.sealed+batch.sealed, all.passedBy+batch.passedBy
	}
	return all, nil
}

// value is a sealed value: at is where its row is in the table.
type value struct {
	at     string
	row    int64
	sealed []byte
}

// batch seals again what is in some blocks of a table. It waits for nobody: rows that others have
// locked are passed by, and others wait for it only as long as it takes to write.
func (c column) batch(ctx context.Context, tx pgx.Tx, v *vault.Vault, first string, block int64) (p passed, err error) {
	_, err = tx.Exec(ctx, "set local lock_timeout = '500ms'; set local idle_in_transaction_session_timeout = '2s'")
	if err != nil {
		return p, err
	}
	old := fmt.Sprintf(`from %[1]s
		where ctid >= format('(%%s,0)', $1::bigint)::tid and ctid < format('(%%s,0)', $2::bigint)::tid
		  and length(%[2]s) > 5 and get_byte(%[2]s, 0) = 1 and substring(%[2]s from 2 for 4) <> decode($3, 'hex')`,
		c.table, c.name)
	var there int64
	if err := tx.QueryRow(ctx, "select count(*) "+old, block, block+blocks, first).
		Scan(&there); err != nil ||
		there == 0 {
		return p, err
	}
	rows, err := tx.Query(
		ctx,
		fmt.Sprintf("select ctid::text, %s::bigint, %s %s for no key update skip locked", c.row, c.name, old),
		block,
		block+blocks,
		first,
	)
	if err != nil {
		return p, err
	}
	values, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (one value, err error) {
		return one, row.Scan(&one.at, &one.row, &one.sealed)
	})
	if err != nil {
		return p, err
	}
	p, err = c.write(ctx, tx, v, values)
	p.passedBy += max(there-int64(len(values)), 0)
	return p, err
}

// write writes values sealed again, each only in the place of what was read.
func (c column) write(ctx context.Context, tx pgx.Tx, v *vault.Vault, values []value) (p passed, err error) {
	update := fmt.Sprintf("update %[1]s set %[2]s = $3 where ctid = $1::text::tid and %[2]s = $2", c.table, c.name)
	var batch pgx.Batch
	for _, one := range values {
		secret, err := v.Open(one.sealed, c.place(one.row))
		if err != nil {
			continue // its key is not among ours
		}
		again, err := v.Seal(secret, c.place(one.row))
		if err != nil {
			return p, err
		}
		batch.Queue(update, one.at, one.sealed, again).Exec(func(tag pgconn.CommandTag) error {
			p.sealed += tag.RowsAffected()
			p.passedBy += 1 - tag.RowsAffected()
			return nil
		})
	}
	return p, tx.SendBatch(ctx, &batch).Close()
}
