package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

// damageRule is broken by a page of a table that PostgreSQL cannot read because
// its checksum or structure is wrong.
const damageRule = "every page of every table can be read"

// Damaged reports whether one of the violations is that something could not be
// read.
func Damaged(found []Violation) bool {
	return slices.ContainsFunc(found, func(v Violation) bool { return v.Rule == damageRule })
}

// tablesQuery lists the tables that have pages, including the TOAST tables
// under the names of their tables, and the columns of the primary key if there
// is one.
const tablesQuery = `
	select c.oid::regclass::text, coalesce(o.oid::regclass::text, ''), pg_relation_size(c.oid) / current_setting('block_size')::int,
		coalesce((select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_index i
			join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = c.oid and i.indisprimary), '')
	from pg_class c left join pg_class o on o.reltoastrelid = c.oid
	where c.relpersistence <> 't' and (c.relkind in ('r', 'm') or c.relkind = 't' and o.relkind in ('r', 'm'))
	order by 1`

// pages are the pages of a table.
type pages struct {
	table, of string
	count     int64
	key       string
}

func (p pages) String() string {
	if p.of != "" {
		return p.of + " (its long values)"
	}
	return p.table
}

// Damage reads each page of each table. For pages that cannot be read it names
// the rows on the pages before and after them. It requires the rights of
// PostgreSQL's superuser or of pg_read_all_data.
func Damage(ctx context.Context, pool db.Pool) ([]Violation, error) {
	rows, _ := pool.Query(ctx, tablesQuery)
	tables, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p pages, err error) {
		return p, row.Scan(&p.table, &p.of, &p.count, &p.key)
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	var found []Violation
	for _, table := range tables {
		damaged, err := table.unreadable(ctx, pool, 0, table.count)
		if err != nil {
			return found, fmt.Errorf("read %s: %w", table, err)
		}
		for _, page := range damaged {
			found = append(found, Violation{damageRule, fmt.Sprintf("%s: page %d cannot be read; the row before it is %s, the row behind it %s",
				table, page, table.neighbour(ctx, pool, page-1, "desc"), table.neighbour(ctx, pool, page+1, "asc"))})
		}
	}
	return found, nil
}

// unreadable halves a range of pages until it knows which of them cannot be
// read.
func (p pages) unreadable(ctx context.Context, pool db.Pool, from, to int64) ([]int64, error) {
	if from >= to {
		return nil, nil
	}
	// Pages that were added since were in memory a moment ago, so they need
	// no check.
	_, err := pool.Exec(ctx, "select count(*) from "+p.table+" where ctid >= $1::text::tid and ctid < $2::text::tid", at(from), at(to))
	if err == nil || !db.IsDamaged(err) {
		return nil, err
	}
	if to-from == 1 {
		return []int64{from}, nil
	}
	middle := (from + to) / 2
	first, err := p.unreadable(ctx, pool, from, middle)
	if err != nil {
		return nil, err
	}
	second, err := p.unreadable(ctx, pool, middle, to)
	return append(first, second...), err
}

// at is the address at which a page begins.
func at(page int64) string { return fmt.Sprintf("(%d,0)", page) }

// neighbour is the key of the last or the first row of a page next to a damaged
// one.
func (p pages) neighbour(ctx context.Context, pool db.Pool, page int64, order string) string {
	if page < 0 || page >= p.count {
		return "none"
	}
	if p.key == "" {
		return "without a key"
	}
	var key string
	err := pool.QueryRow(ctx, fmt.Sprintf(
		"select row(%s)::text from %s where ctid >= $1::text::tid and ctid < $2::text::tid order by ctid %s limit 1", p.key, p.table, order),
		at(page), at(page+1)).Scan(&key)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "none"
	case err != nil:
		return "unknown"
	}
	return key
}
