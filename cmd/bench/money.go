package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// credits measures settlements: a trader confirms a payment, which credits the
// cashbox and the platform, frees the requisite and queues a webhook. It
// measures them onto one cashbox and onto many, which should be equally fast.
// Each run confirms payments that were created before it, and ends when all
// their webhooks have arrived. The rate of deliveries counts from the first
// confirmation to the last webhook.
func (b *bench) credits(ctx context.Context) {
	one, spread := b.scene.boxes[:1], b.scene.boxes
	// The first ones warm up and show how many a run can do.
	b.settle(ctx, one, 10*b.clients)
	rate, _ := b.settle(ctx, spread, 20*b.clients)
	count := max(int(rate*b.seconds.Seconds()/2), 2*b.clients)
	b.vacuum(ctx) // or plans would be those of empty tables
	for range b.runs {
		confirmed, _ := b.settle(ctx, one, count)
		b.report.sample("credits_one_cashbox_per_s", confirmed)
		confirmed, delivered := b.settle(ctx, spread, count)
		b.report.sample("credits_spread_per_s", confirmed)
		b.report.sample("settled_delivered_per_s", delivered)
		b.commitsNow(ctx, "settled_commit_per_s")
	}
}

// settle creates payments, confirms them and waits for their webhooks. It
// returns how many were confirmed and how many delivered a second.
func (b *bench) settle(ctx context.Context, boxes []box, count int) (confirmed, delivered float64) {
	pending := b.prepare(ctx, boxes, count)
	rand.Shuffle(len(pending), func(i, j int) { pending[i], pending[j] = pending[j], pending[i] })
	var requests [][]byte
	for _, p := range pending {
		requests = append(requests, b.bearer(traderService+"ConfirmReceived", b.scene.tokens[p.TraderID], fmt.Sprintf(`{"paymentId":"%d"}`, p.ID)))
	}
	b.hooks.restart()
	b.costs(ctx, "settled", "settlements", func() int64 {
		began := time.Now()
		took := b.each(ctx, count, func(i int) []byte { return requests[i] }, nil)
		confirmed = float64(count) / took.Seconds()
		_, last := b.hooks.await(ctx, count, "webhooks").span()
		delivered = float64(count) / last.Sub(began).Seconds()
		return int64(count)
	})
	b.say("  %d settled onto %d cashboxes, %.0f/s, delivered %.0f/s", count, len(boxes), confirmed, delivered)
	return confirmed, delivered
}

// pendingPayment is a payment to confirm, with its trader, whom the answer to
// the merchant does not name.
type pendingPayment struct {
	ID, TraderID, RequisiteID int64
	OrderID, Amount           string
}

// findPending finds payments by their orders. The tables have no statistics
// yet, so the planner expects no rows: without the materialised part it would
// read all pending payments each time.
const findPending = `with k as materialized (
    select payment_id from payment_key where merchant_id = $1 and channel = $2 and order_id = any($3)
)
select p.* from k, lateral (
    select id, trader_id, requisite_id, order_id, amount::text from payment where merchant_id = $1 and id = k.payment_id limit 1
) p`

// prepare creates payments for the cashboxes in turn.
func (b *bench) prepare(ctx context.Context, boxes []box, count int) []pendingPayment {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = orderID(b.scene.next.Add(1))
	}
	b.each(ctx, count, func(i int) []byte { return b.create(boxes[i%len(boxes)], manyMethod, i, ids[i]) }, nil)
	found := list(ctx, b, "find the payments", pgx.RowToStructByPos[pendingPayment], findPending, b.scene.merchantID, manyMethod, ids)
	if len(found) != count {
		check(fmt.Errorf("%d of %d payments are there", len(found), count))
	}
	return found
}

// firstEvents is how many events warm up the deliveries and show how many a
// run can do.
const firstEvents = 200

// webhooks measures how fast a backlog is delivered. Events of earlier
// settlements are marked as dead and sent again by the operator's call, which
// queues a thousand at a time. The rate counts at the receivers, from the
// first arrival to the last.
func (b *bench) webhooks(ctx context.Context) {
	count := max(int(b.deliver(ctx, firstEvents)*b.seconds.Seconds()/2), firstEvents)
	for range b.runs {
		b.report.sample("webhooks_per_s", b.deliver(ctx, count))
	}
}

// deliver sends up to so many events again and returns how many arrived a
// second.
func (b *bench) deliver(ctx context.Context, count int) (rate float64) {
	events := b.killEvents(ctx, count)
	b.hooks.restart()
	b.costs(ctx, "webhook", "webhooks", func() int64 {
		b.each(ctx, endpoints, func(i int) []byte { return b.sendAgain(b.scene.merchantID, b.hooks.urls[i]) }, nil)
		rate = b.hooks.await(ctx, events, "webhooks").rate()
		return int64(events)
	})
	b.say("  %d delivered, %.0f/s", events, rate)
	return rate
}

// sendAgain asks to send all events again that an endpoint did not take.
func (b *bench) sendAgain(merchantID int64, url string) []byte {
	return b.bearer(operatorService+"ReplayEvents", b.scene.operators[0], fmt.Sprintf(`{"merchantId":"%d","url":%q}`, merchantID, url))
}

const killEvents = `update webhook_event set status = 'dead'
where (merchant_id, id) in (select merchant_id, id from webhook_event where merchant_id = $1 and status = 'delivered' and url = any($2) limit $3)`

// killEvents marks up to so many delivered events as dead. It waits for them,
// because an event arrives a moment before it is stored as delivered.
func (b *bench) killEvents(ctx context.Context, count int) int {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		killed := b.exec(ctx, "declare events dead", killEvents, b.scene.merchantID, b.hooks.urls, count)
		if killed >= 2 {
			return killed
		}
		if time.Since(began) > patience {
			check(errors.New("there are no events to send: measure credits, too"))
		}
	}
}

// hotAccount measures movements onto one account: operators call FundTrader
// for one trader over HTTP, each time with another reference.
//
// It can be compared with a ledger server's own benchmark of a hot account,
// where each request posts one movement from the world onto the same account,
// under a reference, and is answered after its commit. A request here does
// that and also writes the log of operators' changes; it is authenticated by a
// bearer token of one of many users. It does not interpret a posting script,
// and its answer has no balances.
func (b *bench) hotAccount(ctx context.Context) {
	// The trader has no requisites, so nobody else moves their money.
	var traderID int64
	b.onStage(ctx, func(s *stage) { traderID = s.addTrader("Hot account") })
	var references atomic.Int64
	over := b.callers(ctx, b.clients, func(int) []byte {
		n := references.Add(1)
		return b.bearer(operatorService+"FundTrader", b.scene.operators[n%operators],
			fmt.Sprintf(`{"traderId":"%d","amount":"1.5","reference":"hot-%d"}`, traderID, n))
	})
	defer over.hangUp()
	hot := load{rate: "hot_account_transfers_per_s", use: "hot_account", do: over.act, made: over, brief: true, window: "movements"}
	b.inTurn(ctx, hot, b.committer(ctx, "hot_commit_per_s"))
}
