package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"
)

// creates measures creations over HTTP, and between them the replay of their statements and commits of
// one row. A last run is profiled.
func (b *bench) creates(ctx context.Context) error {
	over, err := b.creator(ctx, manyMethod, b.clients)
	if err != nil {
		return err
	}
	defer over.hangUp()
	replay, err := b.replayer(ctx)
	if err != nil {
		return err
	}
	commits, err := b.committer(ctx, "one_row_commit_per_s")
	if err != nil {
		return err
	}
	creates := load{rate: "creates_per_s", use: "create", do: over.act, made: over, window: "creates"}
	err = b.inTurn(ctx, creates, load{rate: "create_sql_per_s", use: "create_sql", do: replay}, commits)
	if err != nil {
		return err
	}
	return b.profiled(ctx, func() error {
		_, _, err := closedLoop(ctx, b.clients, b.seconds, over.act)
		return err
	})
}

// createsFew is creates with the smaller pool of requisites, where payments meet on them.
func (b *bench) createsFew(ctx context.Context) error {
	return b.createsOf(ctx, fewMethod, "creates_10_requisites_per_s", "create_10_requisites")
}

// createsOf measures creations by themselves.
func (b *bench) createsOf(ctx context.Context, method, rate, use string) error {
	over, err := b.creator(ctx, method, b.clients)
	if err != nil {
		return err
	}
	defer over.hangUp()
	return b.inTurn(ctx, load{rate: rate, use: use, do: over.act, made: over, brief: true})
}

// creator creates payments over HTTP.
func (b *bench) creator(ctx context.Context, method string, clients int) (*callers, error) {
	return b.callers(ctx, clients, b.creation(method))
}

func (b *bench) creation(method string) func(client int) []byte {
	address := b.address()
	return func(client int) []byte {
		n := b.scene.next.Add(1)
		o := orders{b.scene.creating[n%int64(len(b.scene.creating))], method, b.hooks.urls()[client%endpoints]}
		return o.request(address, o.body(orderID(n), amount()))
	}
}

// scheduledClients are enough for those who wait for an answer not to keep others from sending.
const scheduledClients = 128

// createsBeside is how many creations a second come beside something else.
const createsBeside = 100

// besideTime is how long they come: they are enough for a p99, and for nearly every trader to have one.
func (b *bench) besideTime() time.Duration { return b.seconds * 2 / 3 }

// scheduled has creations come on schedule.
func (b *bench) scheduled(ctx context.Context, perSecond float64, length time.Duration) (*hdrhistogram.Histogram, error) {
	over, err := b.creator(ctx, manyMethod, scheduledClients)
	if err != nil {
		return nil, err
	}
	defer over.hangUp()
	over.prepare(int(perSecond * length.Seconds()))
	return openLoop(ctx, scheduledClients, perSecond, length, over.act)
}

// latency measures creations that come on schedule, at half the rate the gateway was found to bear.
func (b *bench) latency(ctx context.Context) error {
	saturation := b.report.median("creates_per_s")
	if saturation == nil {
		return errors.New("the saturation rate is not known: measure creates, too")
	}
	for range b.runs {
		checkpointed := b.checkpointIn(ctx, b.seconds/2)
		taken, err := b.scheduled(ctx, *saturation/2, b.seconds)
		if err := errors.Join(err, <-checkpointed); err != nil {
			return err
		}
		b.report.latencies("create", taken)
	}
	b.report.sample("create_open_loop_per_s", *saturation/2)
	return nil
}

// connect opens a connection to PostgreSQL for each client, as the gateway opens its own.
func (b *bench) connect(ctx context.Context) (conns []*pgx.Conn, err error) {
	for len(conns) < b.clients && err == nil {
		var conn *pgx.Conn
		conn, err = b.connectOne(ctx)
		conns = append(conns, conn)
	}
	return conns, err
}

// committer is what the machine does at best: one row inserted and committed. Its rate is the ceiling of
// what is measured in turn with it.
func (b *bench) committer(ctx context.Context, rate string) (load, error) {
	const table = "create table if not exists bench_row (id bigint generated always as identity primary key, at timestamptz not null)"
	if _, err := b.pool.Exec(ctx, table); err != nil {
		return load{}, fmt.Errorf("make a table: %w", err)
	}
	conns, err := b.connect(ctx)
	return load{rate: rate, brief: true, do: func(ctx context.Context, client int) (bool, error) {
		_, err := conns[client].Exec(ctx, "insert into bench_row (at) values ($1)", b.began)
		return err == nil, err
	}}, err
}

// commitsNow is a run of the ceiling by itself.
func (b *bench) commitsNow(ctx context.Context, rate string) error {
	return b.within(func() error {
		commits, err := b.committer(ctx, rate)
		if err != nil {
			return err
		}
		return b.measured(ctx, commits)
	})
}
