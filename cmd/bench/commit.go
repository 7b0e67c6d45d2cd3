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

// committer is what the machine does at best: one row inserted and committed. Its rate is the ceiling of
// what is measured in turn with it.
func (b *bench) committer(ctx context.Context, rate string) (load, func(), error) {
	const table = "create table if not exists bench_row (id bigint generated always as identity primary key, at timestamptz not null)"
	if _, err := b.pool.Exec(ctx, table); err != nil {
		return load{}, nil, fmt.Errorf("make a table: %w", err)
	}
	conns, end, err := b.connect(ctx)
	return load{rate: rate, do: func(ctx context.Context, client int) (bool, error) {
		_, err := conns[client].Exec(ctx, "insert into bench_row (at) values ($1)", b.began)
		return err == nil, err
	}}, end, err
}

// commitsNow is a run of the ceiling by itself.
func (b *bench) commitsNow(ctx context.Context, rate string) error {
	commits, end, err := b.committer(ctx, rate)
	if err != nil {
		return err
	}
	defer end()
	return b.measured(ctx, commits)
}
