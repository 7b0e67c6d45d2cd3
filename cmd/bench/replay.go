package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	decimal "github.com/jackc/pgx-shopspring-decimal"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errNotRecorded asks for the part that the replay is made of.
var errNotRecorded = errors.New("no creation was recorded: measure trips, too")

func (b *bench) connectOne(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(b.url)
	if err != nil {
		return nil, errors.New("the database's URL is not valid")
	}
	config.RuntimeParams["timezone"] = "UTC"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("reach PostgreSQL: %w", err)
	}
	decimal.Register(conn.TypeMap())
	return conn, nil
}

// replayer replays recorded creations, a connection a client: the same statements in the same round
// trips, without HTTP and without the gateway. Order ids, amounts, uuids and times are fresh,
// requisites and traders those the statements choose; what the gateway would calculate is taken
// from a recorded creation.
func (b *bench) replayer(ctx context.Context) (act, func(), error) {
	if len(b.recorded) == 0 {
		return nil, nil, errNotRecorded
	}
	conns, end, err := b.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	drawing, err := b.connectOne(ctx)
	if err != nil {
		end()
		return nil, nil, err
	}
	defer func() { _ = drawing.Close(context.WithoutCancel(ctx)) }()
	t, err := compile(ctx, drawing, b.recorded)
	if err != nil {
		end()
		return nil, nil, err
	}
	samples := len(mostAlike(b.recorded))
	return func(ctx context.Context, client int) (bool, error) {
		return t.run(ctx, conns[client], b.fresh(samples, len(t)))
	}, end, nil
}

// run replays one creation. One that a statement refuses, as the gateway's would be, is rolled back
// and not done.
func (t template) run(ctx context.Context, conn *pgx.Conn, r *replay) (bool, error) {
	for i, next := range t {
		if next.command != "" {
			if _, err := conn.Exec(ctx, next.command); err != nil {
				return false, err
			}
			continue
		}
		done, err := next.run(ctx, conn, r, i)
		if err != nil && !refused(err) {
			return false, err
		}
		if !done {
			_, err := conn.Exec(ctx, "rollback")
			return false, err
		}
	}
	return true, nil
}

// refused tells a creation that a constraint of the database refused.
func refused(err error) bool {
	var told *pgconn.PgError
	const integrityConstraints = "23" // the class of their errors
	return errors.As(err, &told) && strings.HasPrefix(told.Code, integrityConstraints)
}

// run sends a round's statements together and reads their answers.
func (n round) run(ctx context.Context, conn *pgx.Conn, r *replay, i int) (bool, error) {
	var batch pgx.Batch
	for _, s := range n.calls {
		args := make([]any, len(s.args))
		for k, source := range s.args {
			args[k] = source(r)
		}
		batch.Queue(s.sql, args...)
	}
	r.rows[i] = make([][]any, len(n.calls))
	results := conn.SendBatch(ctx, &batch)
	done := true
	for j, s := range n.calls {
		row, tag, err := answer(results, s.needed)
		if err != nil {
			return false, errors.Join(fmt.Errorf("%.60q: %w", s.sql, err), results.Close())
		}
		r.rows[i][j], done = row, done && tag == s.tag
	}
	return done, results.Close()
}

// answer reads the next statement's, and of its rows the first if it is needed.
func answer(results pgx.BatchResults, needed bool) (row []any, tag string, err error) {
	rows, err := results.Query()
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		if needed && row == nil {
			if row, err = rows.Values(); err != nil {
				return nil, "", err
			}
		}
	}
	return row, rows.CommandTag().String(), rows.Err()
}
