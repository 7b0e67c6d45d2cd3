package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// connect opens a connection to PostgreSQL for each client, as the gateway opens its own.
func (b *bench) connect(ctx context.Context) (conns []*pgx.Conn, end func(), err error) {
	end = func() {
		for _, conn := range conns {
			_ = conn.Close(context.WithoutCancel(ctx))
		}
	}
	for range b.clients {
		conn, err := b.connectOne(ctx)
		if err != nil {
			end()
			return nil, nil, err
		}
		conns = append(conns, conn)
	}
	return conns, end, nil
}

// commits measures what the machine does at best: one row inserted and committed.
func (b *bench) commits(ctx context.Context) error {
	const table = "create table bench_row (id bigint generated always as identity primary key, at timestamptz not null)"
	if _, err := b.pool.Exec(ctx, table); err != nil {
		return fmt.Errorf("make a table: %w", err)
	}
	conns, end, err := b.connect(ctx)
	if err != nil {
		return err
	}
	defer end()
	insert := func(ctx context.Context, client int) (bool, error) {
		_, err := conns[client].Exec(ctx, "insert into bench_row (at) values ($1)", b.began)
		return err == nil, err
	}
	if _, _, err := closedLoop(ctx, b.clients, b.warmUp(), insert); err != nil {
		return err
	}
	for range b.runs {
		rate, _, err := b.during(ctx, insert)
		if err != nil {
			return err
		}
		b.report.sample("one_row_commit_per_s", rate)
	}
	return nil
}
