package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// credits measures settlements: traders confirm pending payments, which credits the cashbox and the
// platform, frees the requisite and queues a webhook. All onto one cashbox, and spread over many:
// that the two are alike is what the ledger is built for. Each run confirms as many payments as
// were made ready before it, and what it queued is delivered before the next begins; deliveries go
// on meanwhile.
func (b *bench) credits(ctx context.Context) error {
	kinds := []struct {
		name  string
		boxes []box
	}{{"credits_one_cashbox_per_s", b.scene.boxes[:1]}, {"credits_spread_per_s", b.scene.boxes}}
	// A few of each warm up, and tell how many a run takes.
	var rate float64
	for _, kind := range kinds {
		var err error
		if rate, _, err = b.settle(ctx, kind.boxes, 10*b.clients); err != nil {
			return err
		}
	}
	count := max(int(rate*b.seconds.Seconds()/2), 2*b.clients)
	for range b.runs {
		for _, kind := range kinds {
			rate, _, err := b.settle(ctx, kind.boxes, count)
			if err != nil {
				return err
			}
			b.report.sample(kind.name, rate)
		}
	}
	return nil
}

// settled measures what of settlements arrives: the time runs from the first confirmation until the
// last of their webhooks is at its receiver.
func (b *bench) settled(ctx context.Context) error {
	_, rate, err := b.settle(ctx, b.scene.boxes, 20*b.clients)
	if err != nil {
		return err
	}
	count := min(int(rate*b.seconds.Seconds()), mostOpen/2)
	for range b.runs {
		if _, rate, err = b.settle(ctx, b.scene.boxes, count); err != nil {
			return err
		}
		b.report.sample("settled_delivered_per_s", rate)
		if err := b.commitsNow(ctx, "settled_commit_per_s"); err != nil {
			return err
		}
	}
	return nil
}

// settle makes payments ready, confirms them with a checkpoint on the way, and waits for their
// webhooks. It answers how many were confirmed a second, and how many delivered.
func (b *bench) settle(ctx context.Context, boxes []box, count int) (confirmed, delivered float64, err error) {
	pending, err := b.prepare(ctx, boxes, count)
	if err != nil {
		return 0, 0, err
	}
	b.hooks.restart()
	err = b.costs(ctx, "settled", "settlements", func() (int64, error) {
		checkpointed := b.checkpointIn(ctx, b.seconds/4)
		began := time.Now()
		took, err := b.confirm(ctx, pending)
		if cause := <-checkpointed; err == nil {
			err = cause
		}
		if err != nil {
			return 0, err
		}
		_, last, err := b.hooks.await(ctx, count)
		confirmed, delivered = float64(count)/took.Seconds(), float64(count)/last.Sub(began).Seconds()
		return int64(count), err
	})
	b.say("  %d settled onto %d cashboxes, %.0f/s, delivered %.0f/s", count, len(boxes), confirmed, delivered)
	return confirmed, delivered, err
}

// confirm has the traders confirm their payments, over connections opened just before: the gateway
// closes those on which nothing comes.
func (b *bench) confirm(ctx context.Context, pending []pendingPayment) (time.Duration, error) {
	const procedure = "/portal.v1.TraderService/ConfirmReceived"
	address := hostOf(b.gateway.BaseURL)
	var requests [][]byte
	for _, p := range pending {
		body := fmt.Appendf(nil, `{"paymentId":"%d"}`, p.id)
		requests = append(requests, bearerRequest(address, procedure, b.scene.tokens[p.traderID], body))
	}
	wires, hangUp, err := dialAll(ctx, address, b.clients)
	if err != nil {
		return 0, err
	}
	defer hangUp()
	return workOff(ctx, b.clients, len(requests), func(_ context.Context, client, i int) error {
		_, err := wires[client].send(requests[i])
		return err
	})
}

type pendingPayment struct{ id, traderID int64 }

// prepare creates payments of the cashboxes in turn, and answers them in no order.
func (b *bench) prepare(ctx context.Context, boxes []box, count int) ([]pendingPayment, error) {
	address := hostOf(b.gateway.BaseURL)
	wires, hangUp, err := dialAll(ctx, address, b.clients)
	if err != nil {
		return nil, err
	}
	defer hangUp()
	orderIDs := make([]string, count)
	for i := range orderIDs {
		orderIDs[i] = orderID(b.scene.next.Add(1))
	}
	_, err = workOff(ctx, b.clients, count, func(_ context.Context, client, i int) error {
		o := b.scene.orders(boxes[i%len(boxes)], manyMethod, b.hooks.urls()[i%endpoints])
		_, err := wires[client].send(o.request(address, o.bodyOf(orderIDs[i], amount())))
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.assigned(ctx, orderIDs)
}

// assigned finds the payments of orders, and whom they were given to: merchants are not told.
func (b *bench) assigned(ctx context.Context, orderIDs []string) ([]pendingPayment, error) {
	// Nothing has counted the rows since the tables were empty: without a fence the join would be
	// planned for none, and asked for what is pending it would go through all that is, each time.
	const query = `with k as materialized (
    select payment_id from payment_key where merchant_id = $1 and channel = $2 and order_id = any($3)
)
select p.id, p.trader_id from k, lateral (
    select id, trader_id from payment where merchant_id = $1 and id = k.payment_id limit 1
) p`
	rows, err := b.pool.Query(ctx, query, b.scene.merchantID, manyMethod, orderIDs)
	if err != nil {
		return nil, fmt.Errorf("find the payments: %w", err)
	}
	defer rows.Close()
	var found []pendingPayment
	for rows.Next() {
		var p pendingPayment
		if err := rows.Scan(&p.id, &p.traderID); err != nil {
			return nil, fmt.Errorf("find the payments: %w", err)
		}
		found = append(found, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("find the payments: %w", err)
	}
	if len(found) != len(orderIDs) {
		return nil, fmt.Errorf("%d of %d payments are there to confirm", len(found), len(orderIDs))
	}
	rand.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	return found, nil
}
