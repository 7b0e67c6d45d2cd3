package main

import (
	"context"
	"fmt"
	"time"
)

// creates measures creations over HTTP, and between them the replay of their statements and commits of
// one row. A last run is profiled.
func (b *bench) creates(ctx context.Context) error {
	over, hangUp, err := b.creator(ctx, manyMethod, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	replay, end, err := b.replayer(ctx)
	if err != nil {
		return err
	}
	defer end()
	commits, hangUpAll, err := b.committer(ctx, "one_row_commit_per_s")
	if err != nil {
		return err
	}
	defer hangUpAll()
	creates := b.creating(over, "creates_per_s", "create")
	creates.window = "creates"
	err = b.inTurn(ctx, creates, load{rate: "create_sql_per_s", use: "create_sql", do: replay}, commits)
	if err != nil {
		return err
	}
	return b.profiled(ctx, func() error {
		_, _, err := closedLoop(ctx, b.clients, b.seconds, over.act)
		return err
	})
}

// creating is a creator's load.
func (b *bench) creating(over *creator, rate, use string) load {
	return load{rate: rate, use: use, do: over.act, ready: func() { over.prepare(b.clients, b.seconds) }}
}

// createsFew is creates with the smaller pool of requisites, where payments meet on them.
func (b *bench) createsFew(ctx context.Context) error {
	return b.createsOf(ctx, fewMethod, "creates_10_requisites_per_s", "create_10_requisites")
}

func (b *bench) createsOf(ctx context.Context, method, rate, use string) error {
	over, hangUp, err := b.creator(ctx, method, b.clients)
	if err != nil {
		return err
	}
	defer hangUp()
	return b.inTurn(ctx, b.creating(over, rate, use))
}

// creator creates payments over HTTP, a connection a client.
type creator struct {
	wires []*wire
	make  func(client int) []byte
	*supply
}

func (b *bench) creator(ctx context.Context, method string, clients int) (*creator, func(), error) {
	address := hostOf(b.gateway.BaseURL)
	wires, hangUp, err := dialAll(ctx, address, clients)
	if err != nil {
		return nil, nil, err
	}
	c := &creator{wires: wires, make: func(client int) []byte {
		n := b.scene.next.Add(1)
		box := b.scene.creating[n%int64(len(b.scene.creating))]
		o := b.scene.orders(box, method, b.hooks.urls()[client%endpoints])
		return o.request(address, o.body(n))
	}}
	c.prepare(clients, b.seconds)
	return c, hangUp, nil
}

// ahead is the rate of creations that requests are made ahead for.
const ahead = 3000

func (c *creator) prepare(clients int, length time.Duration) {
	c.supply = newSupply(clients, int(ahead*length.Seconds())/clients, c.make)
}

func (c *creator) act(_ context.Context, client int) (bool, error) {
	_, err := c.wires[client].send(c.take(client))
	return err == nil, err
}

// latencyClients are enough for those who wait for an answer not to keep others from sending.
const latencyClients = 128

// latency measures creations that come on schedule, at half the rate the gateway was found to bear.
func (b *bench) latency(ctx context.Context) error {
	saturation := b.report.median("creates_per_s")
	if saturation == nil {
		return fmt.Errorf("the saturation rate is not known: measure creates, too")
	}
	over, hangUp, err := b.creator(ctx, manyMethod, latencyClients)
	if err != nil {
		return err
	}
	defer hangUp()
	for range b.runs {
		over.prepare(latencyClients, b.seconds)
		checkpointed := b.checkpointIn(ctx, b.seconds/2)
		taken, err := openLoop(ctx, latencyClients, *saturation/2, b.seconds, over.act)
		if cause := <-checkpointed; err == nil {
			err = cause
		}
		if err != nil {
			return err
		}
		b.report.sample("create_p50_ms", percentile(taken, 50))
		b.report.sample("create_p99_ms", percentile(taken, 99))
		b.report.sample("create_p999_ms", percentile(taken, 99.9))
	}
	b.report.sample("create_open_loop_per_s", *saturation/2)
	return nil
}
