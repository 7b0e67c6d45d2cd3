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
	t, samples, err := compile(b.recorded)
	if err != nil {
		return nil, nil, err
	}
	conns, end, err := b.connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, client int) (bool, error) {
		return t.run(ctx, conns[client], b.fresh(samples))
	}, end, nil
}

// run replays one creation. One that a statement refuses, as the gateway's would be, is rolled back
// and not done.
func (t template) run(ctx context.Context, conn *pgx.Conn, r *replay) (bool, error) {
	for _, next := range t {
		done, err := next.run(ctx, conn, r)
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
func (n round) run(ctx context.Context, conn *pgx.Conn, r *replay) (bool, error) {
	var batch pgx.Batch
	for _, s := range n {
		args := make([]any, len(s.args))
		for k, source := range s.args {
			args[k] = source(r)
		}
		batch.Queue(s.sql, args...)
	}
	results := conn.SendBatch(ctx, &batch)
	done := true
	for _, s := range n {
		tag, err := results.Exec()
		if err != nil {
			return false, errors.Join(fmt.Errorf("%.60q: %w", s.sql, err), results.Close())
		}
		done = done && tag.String() == s.tag
	}
	return done, results.Close()
}
