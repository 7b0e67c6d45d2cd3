package main

import (
	"context"
	"errors"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/jackc/pgx/v5"
)

// creates measures creations over HTTP, and between them the replay of their
// statements and commits of one row. A last run is profiled.
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

// createsFew is creates with the smaller pool of requisites, where payments
// meet on them.
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

// scheduledClients are enough for those who wait for an answer not to keep
// others from sending.
const scheduledClients = 128

// createsBeside is how many creations a second come beside something else.
const createsBeside = 100

// besideTime is how long they come: they are enough for a p99, and for nearly
// every trader to have one.
func (b *bench) besideTime() time.Duration { return b.seconds * 2 / 3 }

func (b *bench) scheduled(ctx context.Context, perSecond float64, length time.Duration) *hdrhistogram.Histogram {
	over := b.creator(ctx, manyMethod, scheduledClients)
	defer over.hangUp()
	over.prepare(int(perSecond * length.Seconds()))
	return must(openLoop(ctx, scheduledClients, perSecond, length, over.act))
}

// latency measures creations that come on schedule, at half the rate the
// gateway was found to bear, for so long that what comes seldom comes, too.
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
// opens its own.
func (b *bench) connect(ctx context.Context) []*pgx.Conn {
	conns := make([]*pgx.Conn, b.clients)
	for client := range conns {
		conns[client] = b.connectOne(ctx)
	}
	return conns
}

// committer is what the machine does at best: one row inserted and committed.
// Its rate is the ceiling of what is measured in turn with it.
func (b *bench) committer(ctx context.Context, rate string) load {
	b.exec(ctx, "make a table",
		"create table if not exists bench_row (id bigint generated always as identity primary key, at timestamptz not null)")
	conns := b.connect(ctx)
	return load{rate: rate, brief: true, do: func(ctx context.Context, client int) (bool, error) {
		_, err := conns[client].Exec(ctx, "insert into bench_row (at) values ($1)", b.began)
		return err == nil, err
	}}
}

// commitsNow is a run of the ceiling by itself.
func (b *bench) commitsNow(ctx context.Context, rate string) {
	check(b.within(func() { b.measured(ctx, b.committer(ctx, rate)) }))
}
