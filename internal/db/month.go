package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// monthsAhead is how many months ahead have partitions. A process that did not
// run for longer makes the missing ones before anything else.
const monthsAhead = 2

// monthly is a table with a partition for each month.
type monthly struct {
	name, column string
	// bound is where a month begins, as a value of the column.
	bound func(time.Time) string
	// kept tables refuse to change or delete rows.
	kept bool
}

var monthlies = []monthly{
	{"transfer", "created_at", timeBound, true},
	{"payment_history", "at", timeBound, true},
	{"webhook_attempt", "at", timeBound, false},
	{"webhook_event", "id", idBound, false},
}

// timeBound writes a time in UTC as PostgreSQL does, so that bounds compare as
// texts.
func timeBound(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") + "+00" }

// idBound is the lowest id of events made from a time on. Their ids are UUIDs
// of version 7.
func idBound(at time.Time) string {
	var id uuid.UUID
	for i, ms := 5, at.UnixMilli(); i >= 0; i, ms = i-1, ms>>8 {
		id[i] = byte(ms)
	}
	return id.String()
}

// MakeMonths makes the missing partitions of this month and the next ones. It
// waits only briefly for locks: the next call makes what it could not.
func MakeMonths(ctx context.Context, conn Beginner, now time.Time) error {
	first := time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	var failed []error
	for _, m := range monthlies {
		for ahead := range monthsAhead + 1 {
			if err := m.makeMonth(ctx, conn, first.AddDate(0, ahead, 0)); err != nil {
				failed = append(failed, fmt.Errorf("make a month of %s: %w", m.name, err))
			}
		}
	}
	return errors.Join(failed...)
}

// makeMonth makes the partition of the month that begins then, unless an
// earlier one covers it.
func (m monthly) makeMonth(ctx context.Context, conn Beginner, month time.Time) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		from, to := m.bound(month), m.bound(month.AddDate(0, 1, 0))
		if covered, err := m.covered(ctx, tx, from, to); err != nil || covered {
			return err
		}
		part := m.name + month.Format("_2006_01")
		_, err := tx.Exec(
			ctx,
			"create table "+part+" (like "+m.name+"_other including defaults including constraints including indexes)",
		)
		if err != nil {
			return fmt.Errorf("create %s: %w", part, err)
		}
		if m.kept {
			_, err := tx.Exec(ctx, "create trigger "+part+"_append_only before update or delete or truncate on "+part+
				" for each statement execute function append_only()")
			if err != nil {
				return fmt.Errorf("keep %s as it is: %w", part, err)
			}
		}
		// Attaching a table blocks nobody who reads or writes the
		// others.
		_, err = tx.Exec(ctx, "alter table "+m.name+" attach partition "+part+" for values from ('"+from+"') to ('"+to+"')")
		if err != nil {
			return fmt.Errorf("attach %s: %w", part, err)
		}
		return nil
	})
}

// covered reports whether a month needs no partition: it has one, or its rows
// are already in the default partition, for example because a clock was ahead,
// and stay there.
func (m monthly) covered(ctx context.Context, tx pgx.Tx, from, to string) (bool, error) {
	for _, sql := range []string{
		"set local timezone = 'UTC'",
		"set local lock_timeout = '" + lockWait + "'",
		// Attaching takes this lock anyway. Taking it now keeps other
		// processes from making the same month.
		"lock table " + m.name + " in share update exclusive mode",
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return false, fmt.Errorf("lock: %w", err)
		}
	}
	var reached, strays bool
	err := tx.QueryRow(ctx, `select exists (
			select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::text::regclass
			and substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)') collate "C" > $2
		), exists (select 1 from `+m.name+"_other where "+m.column+" >= '"+from+"' and "+m.column+" < '"+to+"')",
		m.name, from).Scan(&reached, &strays)
	if err != nil {
		return false, fmt.Errorf("look at the months: %w", err)
	}
	return reached || strays, nil
}

// DropMonths drops the months of webhook_attempt that ended before a time. Each
// leaves a receipt in the log of settings.
func DropMonths(ctx context.Context, b Beginner, what string, now, before time.Time) error {
	for ctx.Err() == nil {
		var dropped bool
		err := InTx(ctx, b, func(tx pgx.Tx, q *Queries) error {
			var err error
			dropped, err = dropMonth(ctx, tx, q, what, now, before)
			return err
		})
		if err != nil {
			return fmt.Errorf("drop a month: %w", err)
		}
		if !dropped {
			return nil
		}
	}
	return ctx.Err()
}

// dropMonth drops the first month of webhook_attempt that ended before a time,
// and writes the receipt in the same transaction. It returns false if there is
// none. It waits only briefly for its lock, because everybody who comes after
// it would wait as well.
func dropMonth(ctx context.Context, tx pgx.Tx, q *Queries, what string, now, before time.Time) (bool, error) {
	if _, err := tx.Exec(ctx, "set local timezone = 'UTC'"); err != nil {
		return false, err
	}
	var part string
	err := tx.QueryRow(ctx, `select c.oid::regclass::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'webhook_attempt'::regclass
		  and substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)')::timestamptz <= $1
		order by c.relname limit 1`, before).Scan(&part)
	if NoRows(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	gone := Purged{Before: before}
	// Nobody writes to a past month. It is counted before others have to
	// wait.
	err = tx.QueryRow(ctx, "select count(*), coalesce(min(id), 0), coalesce(max(id), 0) from "+part).
		Scan(&gone.Count, &gone.First, &gone.Last)
	if err != nil {
		return false, err
	}
	if err := Run(ctx, q, WaitBriefly()); err != nil {
		return false, err
	}
	if _, err := tx.Exec(ctx, "drop table "+part); err != nil {
		return false, err
	}
	return true, recordPurge(ctx, q, what, now, gone)
}
