package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const operatorService = "/portal.v1.OperatorService/"

// firstEvents warm the deliveries up, and tell how many a run takes.
const firstEvents = 200

// webhooks measures how fast a backlog is delivered. The events of the settlements before are
// declared dead and sent again by the operator's call, which queues them a thousand at a time while
// the first are on their way; the rate is counted at the receivers, from the first arrival to the
// last.
func (b *bench) webhooks(ctx context.Context) error {
	operator := b.scene.operators[0]
	rate, err := b.deliver(ctx, operator, firstEvents)
	if err != nil {
		return err
	}
	count := max(int(rate*b.seconds.Seconds()), firstEvents)
	for range b.runs {
		rate, err := b.deliver(ctx, operator, count)
		if err != nil {
			return err
		}
		b.report.sample("webhooks_per_s", rate)
	}
	return nil
}

// deliver has up to so many events delivered again, and answers how many arrived a second.
func (b *bench) deliver(ctx context.Context, operator string, count int) (float64, error) {
	events, err := b.killEvents(ctx, count)
	if err != nil {
		return 0, err
	}
	b.hooks.restart()
	var rate float64
	err = b.costs(ctx, "webhook", "webhooks", func() (int64, error) {
		if err := b.sendAgain(ctx, operator); err != nil {
			return 0, err
		}
		first, last, err := b.hooks.await(ctx, events)
		rate = float64(events-1) / last.Sub(first).Seconds()
		return int64(events), err
	})
	b.say("  %d delivered, %.0f/s", events, rate)
	return rate, err
}

const killEvents = `update webhook_event set status = 'dead'
where (merchant_id, id) in (select merchant_id, id from webhook_event where merchant_id = $1 and status = 'delivered' and url = any($2) limit $3)`

// killEvents declares up to so many delivered events dead. An event has arrived a moment before it is written down as
// delivered.
func (b *bench) killEvents(ctx context.Context, count int) (int, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		tag, err := b.pool.Exec(ctx, killEvents, b.scene.merchantID, b.hooks.urls(), count)
		if err != nil {
			return 0, fmt.Errorf("declare events dead: %w", err)
		}
		if tag.RowsAffected() >= 2 {
			return int(tag.RowsAffected()), nil
		}
		if time.Since(began) > patience {
			return 0, errors.New("there are no events to send: measure credits, too")
		}
	}
}

// sendAgain has the dead events of every endpoint sent again.
func (b *bench) sendAgain(ctx context.Context, token string) error {
	const procedure = operatorService + "ReplayEvents"
	wires, hangUp, err := dialAll(ctx, hostOf(b.gateway.BaseURL), endpoints)
	if err != nil {
		return err
	}
	defer hangUp()
	_, err = workOff(ctx, endpoints, endpoints, func(_ context.Context, client, i int) error {
		body := fmt.Appendf(nil, `{"merchantId":"%d","url":%q}`, b.scene.merchantID, b.hooks.urls()[i])
		_, err := wires[client].send(bearerRequest(hostOf(b.gateway.BaseURL), procedure, token, body))
		return err
	})
	return err
}

// bearerRequest is a Connect call in JSON by whom the token signs in.
func bearerRequest(address, procedure, token string, body []byte) []byte {
	head := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"+
		"Authorization: Bearer %s\r\n\r\n", procedure, address, len(body), token)
	return append(head, body...)
}
