package main

import (
	"context"
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"
)

// creates measures creations over HTTP, in turn with the replay of their
// statements and with commits of one row. Another run is profiled.
func (b *bench) creates(ctx context.Context) {
	over := b.creator(ctx, manyMethod, b.clients)
	defer over.hangUp()
	replay := load{rate: "create_sql_per_s", use: "create_sql", do: must(b.replayer(ctx))}
	creates := load{rate: "creates_per_s", use: "create", do: over.act, made: over, window: "creates"}
	b.loop(ctx, b.seconds/2, over.act)
	b.vacuum(ctx) // or plans would be those of empty tables
	b.inTurn(ctx, creates, replay, b.committer(ctx, "one_row_commit_per_s"))
	b.profiled(ctx, func() { b.loop(ctx, b.seconds, over.act) })
}

// createsFew measures creations in the smaller pool of requisites, where
// payments compete for them.
func (b *bench) createsFew(ctx context.Context) {
	b.createsOf(ctx, fewMethod, "creates_10_requisites_per_s", "create_10_requisites")
}

func (b *bench) createsOf(ctx context.Context, method, rate, use string) {
	over := b.creator(ctx, method, b.clients)
	defer over.hangUp()
	b.inTurn(ctx, load{rate: rate, use: use, do: over.act, made: over, brief: true})
}

func (b *bench) creator(ctx context.Context, method string, clients int) *callers {
	return b.callers(ctx, clients, b.creation(method))
}

func (b *bench) creation(method string) func(client int) []byte {
	return func(client int) []byte {
		n := b.scene.next.Add(1)
		return b.create(b.scene.creating[n%int64(len(b.scene.creating))], method, client, orderID(n))
	}
}

// scheduledClients is so many that calls waiting for an answer do not delay
// the next ones.
const scheduledClients = 128

// createsBeside is the number of creations a second beside another load.
const createsBeside = 100

// besideTime is how long they last: enough for a p99, and for nearly every
// trader to get one.
func (b *bench) besideTime() time.Duration { return b.seconds * 2 / 3 }

func (b *bench) scheduled(ctx context.Context, perSecond float64, length time.Duration) *hdrhistogram.Histogram {
	over := b.creator(ctx, manyMethod, scheduledClients)
	defer over.hangUp()
	over.prepare(int(perSecond * length.Seconds()))
	return must(openLoop(ctx, scheduledClients, perSecond, length, over.act))
}

// latency measures creations on schedule, at half of the highest rate, long
// enough for rare delays to occur.
func (b *bench) latency(ctx context.Context) {
	saturation := b.report.median("creates_per_s")
	if saturation == nil {
		panic(failure{errors.New("the saturation rate is not known: measure creates, too")})
	}
	length := time.Duration(b.latencySeconds) * time.Second
	b.costs(ctx, "create_on_schedule", "creates on schedule", func() int64 {
		b.besideCheckpoint(ctx, length/4, func() { b.report.latencies("create", b.scheduled(ctx, *saturation/2, length)) })
		return int64(*saturation / 2 * length.Seconds())
	})
	b.report.sample("create_open_loop_per_s", *saturation/2)
}

// connect opens a connection to PostgreSQL for each client, as the gateway
// does.
func (b *bench) connect(ctx context.Context) []*pgx.Conn {
	conns := make([]*pgx.Conn, b.clients)
	for client := range conns {
		conns[client] = b.connectOne(ctx)
	}
	return conns
}

// committer inserts and commits one row: the most that the machine can do. Its
// rate is the ceiling for what is measured in turn with it.
func (b *bench) committer(ctx context.Context, rate string) load {
	b.exec(ctx, "make a table",
		"create table if not exists bench_row (id bigint generated always as identity primary key, at timestamptz not null)")
	conns := b.connect(ctx)
	return load{rate: rate, brief: true, do: func(ctx context.Context, client int) (bool, error) {
		_, err := conns[client].Exec(ctx, "insert into bench_row (at) values ($1)", b.began)
		return err == nil, err
	}}
}

// commitsNow measures one run of commits alone.
func (b *bench) commitsNow(ctx context.Context, rate string) {
	check(b.within(func() { b.measured(ctx, b.committer(ctx, rate)) }))
}
