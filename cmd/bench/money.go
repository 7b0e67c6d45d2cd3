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

// credits measures settlements: traders confirm pending payments, which credits
// the cashbox and the platform, frees the requisite and queues a webhook. All
// onto one cashbox, and spread over many: that the two are alike is what the
// ledger is built for. Each run confirms as many payments as were made ready
// before it, and ends when all of their webhooks are at their receivers: what
// is delivered of those that are spread counts from the first confirmation to
// the last webhook.
func (b *bench) credits(ctx context.Context) {
	one, spread := b.scene.boxes[:1], b.scene.boxes
	// A few of each warm up, and tell how many a run takes.
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

// settle makes payments ready, confirms them, and waits for their webhooks. It
// answers how many were confirmed a second, and how many delivered.
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

// pendingPayment is one that waits for its money, and whom it was given to:
// merchants are not told.
type pendingPayment struct {
	ID, TraderID, RequisiteID int64
	OrderID, Amount           string
}

// findPending finds the payments of orders. Nothing has counted the rows since
// the tables were empty: without a fence the join would be planned for none,
// and asked for what is pending it would go through all that is, each time.
const findPending = `with k as materialized (
    select payment_id from payment_key where merchant_id = $1 and channel = $2 and order_id = any($3)
)
select p.* from k, lateral (
    select id, trader_id, requisite_id, order_id, amount::text from payment where merchant_id = $1 and id = k.payment_id limit 1
) p`

// prepare creates payments of the cashboxes in turn.
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

// firstEvents warm the deliveries up, and tell how many a run takes.
const firstEvents = 200

// webhooks measures how fast a backlog is delivered. The events of the
// settlements before are declared dead and sent again by the operator's call,
// which queues them a thousand at a time while the first are on their way; the
// rate is counted at the receivers, from the first arrival to the last.
func (b *bench) webhooks(ctx context.Context) {
	count := max(int(b.deliver(ctx, firstEvents)*b.seconds.Seconds()/2), firstEvents)
	for range b.runs {
		b.report.sample("webhooks_per_s", b.deliver(ctx, count))
	}
}

// deliver has up to so many events delivered again, and answers how many
// arrived a second.
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

// sendAgain has all sent again that a merchant's endpoint did not take.
func (b *bench) sendAgain(merchantID int64, url string) []byte {
	return b.bearer(operatorService+"ReplayEvents", b.scene.operators[0], fmt.Sprintf(`{"merchantId":"%d","url":%q}`, merchantID, url))
}

const killEvents = `update webhook_event set status = 'dead'
where (merchant_id, id) in (select merchant_id, id from webhook_event where merchant_id = $1 and status = 'delivered' and url = any($2) limit $3)`

// killEvents declares up to so many delivered events dead. An event has arrived
// a moment before it is written down as delivered.
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

// hotAccount measures movements onto one account: operators' FundTrader, over
// HTTP, each under a reference of its own and all to one trader.
//
// It is for comparison with a ledger server's own benchmark of a hot account,
// where each request posts one movement from the world onto the same account,
// under a reference, and is answered once it is committed. A request here does
// that and in the same transaction writes the log of what operators change; it
// is signed in by a bearer token, and many users make the calls. It has no
// postings script to interpret, and answers with no balances.
func (b *bench) hotAccount(ctx context.Context) {
	// A trader without requisites: nobody else moves their money.
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
