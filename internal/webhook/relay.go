package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Relay takes committed events out of the outbox, gives them their numbers and
// queues their deliveries, all in one transaction: after a crash at any point
// an event is either still in the outbox, or numbered and queued, once.
//
// Every process runs a relay, and of all of them one at a time gets the lock of
// the row in webhook_relay. A merchant who has read the feed up to number n
// never misses an event with a number below n, because numbers are given in the
// order in which everybody sees them:
//   - PostgreSQL releases the lock after the transaction that held it has become visible. So the next relay, which reads the
//     row's newest version under the lock and then begins a statement of its own, sees all numbers given before, and only
//     gives higher ones.
//   - So transactions that give numbers follow each other. Whoever sees one of them sees all those before, on a standby
//     as well, since that replays commits in their order.
//   - When the transaction of an event began does not matter. An event has no number before it is committed.
type Relay struct {
	pool  db.Pool
	q     *db.Queries
	clock clock.Clock
	// looked is when Watch last looked.
	looked time.Time
}

const (
	// relayBatch is how many events one transaction relays.
	relayBatch = 500
	// relayLimit limits a transaction if the database is slow.
	relayLimit = 10 * time.Second
)

// NewRelay makes a relay. Its metric is the age of the oldest event in the
// outbox.
func NewRelay(pool db.Pool, c clock.Clock, metrics prometheus.Registerer) *Relay {
	r := &Relay{pool: pool, q: db.New(pool), clock: c}
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "gateway_webhook_relay_age_seconds",
		Help: "Age of the oldest event that is not yet in the feed and queued for delivery, 0 if there is none, -1 if nobody knows.",
	}, r.age))
	return r
}

// Watch is Run, called often: it looks each time only while there may be
// events.
func (r *Relay) Watch(ctx context.Context) error {
	if !written.due(r.looked) {
		return nil
	}
	r.looked = time.Now()
	return r.Run(ctx)
}

// Run relays the events in the outbox. It does nothing while another relay is
// working.
func (r *Relay) Run(ctx context.Context) error {
	for {
		// It takes the lock only if there are events, because taking
		// the lock writes to disk.
		waiting, err := r.q.WebhookOutboxAny(ctx)
		if err != nil {
			return fmt.Errorf("look into the outbox: %w", err)
		}
		if !waiting {
			return nil
		}
		count, err := r.batch(ctx)
		if err != nil {
			return fmt.Errorf("relay events: %w", err)
		}
		if count > 0 {
			written.stir()
			queued.stir()
		}
		if count < relayBatch {
			return nil
		}
	}
}

// batch relays at most relayBatch events and returns how many.
func (r *Relay) batch(ctx context.Context) (count int, err error) {
	err = db.InTxWithin(ctx, relayLimit, relayTx{r.pool}, func(ctx context.Context, tx pgx.Tx, q *db.Queries) error {
		last, err := q.WebhookRelayLock(ctx)
		if err != nil {
			return db.IgnoreNoRows(err) // another relay is working
		}
		ids, err := next(ctx, tx, q, relayBatch)
		if count = len(ids); err != nil || count == 0 {
			return err
		}
		rows, err := q.WebhookRelayTake(ctx, db.WebhookRelayTakeParams{LastNumber: last, Ids: ids})
		if err != nil {
			return err
		}
		if err := q.WebhookRelaySetLast(ctx, last+int64(count)); err != nil {
			return err
		}
		return queue(ctx, tx, rows)
	})
	return count, err
}

// next locks the oldest events in the outbox and returns their places. Events
// that another transaction has locked stay in the outbox and do not delay the
// others.
func next(ctx context.Context, tx pgx.Tx, q *db.Queries, most int) (ids []int64, err error) {
	for past := int64(0); ; {
		wanted := most - len(ids)
		rows, err := q.WebhookOutboxNext(ctx, db.WebhookOutboxNextParams{Past: past, Batch: int32(wanted)})
		if err != nil {
			return nil, err
		}
		free, err := unlocked(ctx, tx, rows)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if past = row.ID; free[row.EventID] {
				ids = append(ids, row.ID)
			}
		}
		if len(rows) < wanted || len(ids) == most {
			return ids, nil
		}
	}
}

// unlocked locks those events that no other transaction has locked. It asks for
// each merchant separately, because their events may be on several nodes.
func unlocked(ctx context.Context, tx pgx.Tx, rows []db.WebhookOutbox) (map[uuid.UUID]bool, error) {
	byMerchant := map[int64][]uuid.UUID{}
	for _, row := range rows {
		byMerchant[row.MerchantID] = append(byMerchant[row.MerchantID], row.EventID)
	}
	var queries []db.Query
	var answers []*[]uuid.UUID
	for merchantID, ids := range byMerchant {
		answer := new([]uuid.UUID)
		answers = append(answers, answer)
		queries = append(queries, db.One(answer, (*db.Queries).WebhookEventsFree,
			db.WebhookEventsFreeParams{MerchantID: merchantID, Ids: ids}))
	}
	if err := db.Pipeline(ctx, tx, queries...); err != nil {
		return nil, err
	}
	free := map[uuid.UUID]bool{}
	for _, answer := range answers {
		for _, id := range *answer {
			free[id] = true
		}
	}
	return free, nil
}

// queue queues the first round of deliveries. An event without an address is
// only in the feed.
func queue(ctx context.Context, tx pgx.Tx, rows []db.WebhookRelayTakeRow) error {
	var merchants []int64
	var events []uuid.UUID
	var hosts []string
	for _, row := range rows {
		if row.URL != "" {
			merchants, events = append(merchants, row.MerchantID), append(events, row.ID)
			hosts = append(hosts, hostOf(row.URL))
		}
	}
	err := db.Pipeline(
		ctx,
		tx,
		db.Do(
			(*db.Queries).WebhookDeliveryQueue,
			db.WebhookDeliveryQueueParams{MerchantIds: merchants, EventIds: events, Hosts: hosts},
		),
		db.Do((*db.Queries).WebhookEndpointTell, db.WebhookEndpointTellParams{MerchantIds: merchants, Hosts: hosts}),
	)
	return fault.Doing("queue deliveries", err)
}

// relayTx begins the relay's transactions. A relay that freezes loses the lock
// after two seconds, and one that waits for a table's lock gives up.
type relayTx struct{ db.Pool }

const relayBegin = "begin isolation level read committed; set local idle_in_transaction_session_timeout = '2s'; " +
	"set local lock_timeout = '1s'"

func (p relayTx) Begin(ctx context.Context) (pgx.Tx, error) {
	return p.BeginTx(ctx, pgx.TxOptions{BeginQuery: relayBegin})
}

// age is the age of the oldest event in the outbox, in seconds.
func (r *Relay) age() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	oldest, err := r.q.WebhookOutboxOldest(ctx)
	switch {
	case db.NoRows(err):
		return 0
	case err != nil:
		return -1
	}
	return max(r.clock.Now().Sub(oldest), 0).Seconds()
}
