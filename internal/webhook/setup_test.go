package webhook

import (
	"context"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
	"gateway.example/internal/vault"
	"gateway.example/internal/webhook/signing"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is a merchant's cashbox with a webhook secret, and what delivers its
// events.
type bundle struct {
	*dbtest.DB
	merchant dbtest.Merchant
	secret   string
	vault    *vault.Vault
	clock    *dbtest.Clock
	events   *Events
	relay    *Relay
	metrics  *prometheus.Registry
	// deliverer makes deliveries until stop, which waits for those on their
	// way.
	deliverer *Deliverer
	stop      func()
	// timeout is how long an endpoint may take, if not as long as in the
	// program.
	timeout time.Duration
	// sequence numbers the events of the test's one subject.
	sequence atomic.Int32
}

// setup runs the deliveries of a sandbox: the tests' receivers are on loopback.
// The test runs beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	return setupWith(t, outbound.NewAddresses(true), 0)
}

func setupWith(t *testing.T, addresses *outbound.Addresses, timeout time.Duration) *bundle {
	t.Helper()
	b := &bundle{
		timeout: timeout, DB: dbtest.New(t), clock: new(dbtest.Clock), secret: signing.NewSecret(),
		metrics: prometheus.NewRegistry(),
	}
	// Far from the wall clock, so that a test sees which of the two a time
	// came from.
	b.clock.Advance(10 * 365 * 24 * time.Hour)
	b.vault = dbtest.Vault()
	b.merchant = b.newMerchant(t)
	b.deliverer, b.stop = b.deliver(t, addresses, b.metrics)
	b.events = NewEvents(b.Pools(), b.vault, b.clock)
	b.relay = NewRelay(b.Pool, b.clock, b.metrics)
	return b
}

// newMerchant makes a merchant whose cashbox signs with the bundle's secret.
func (b *bundle) newMerchant(t *testing.T) dbtest.Merchant {
	t.Helper()
	return b.NewMerchant(t, dbtest.MerchantOpts{WebhookSecret: b.secret})
}

// deliver makes deliveries as a process does, over a pool of its own: it needs
// a connection even where the tests' pool is of one.
func (b *bundle) deliver(t *testing.T, addresses *outbound.Addresses, metrics prometheus.Registerer) (*Deliverer, func()) {
	t.Helper()
	pool := b.Open(t, 5, db.ForDeliveries)
	d := NewDeliverer(pool, b.vault, b.clock, addresses, metrics)
	if b.timeout != 0 {
		d.client = addresses.Client(b.timeout)
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	stop := func() {
		end()
		<-ended
	}
	t.Cleanup(stop)
	return d, stop
}

// sampleBody has what a careless second encoding would change: a slash, letters
// outside ASCII and white space.
const sampleBody = `{"type":"payment.status.updated", "data":{"orderId":"заказ/1"}}`

// add writes an event for the address, as a payment's transaction would, and
// relays it.
func (b *bundle) add(t *testing.T, url string) uuid.UUID {
	t.Helper()
	return b.addFor(t, b.merchant, url)
}

func (b *bundle) addFor(t *testing.T, merchant dbtest.Merchant, url string) uuid.UUID {
	t.Helper()
	id := b.written(t, merchant, url)
	b.relayAll(t)
	return id
}

// written writes an event that is still to be relayed.
func (b *bundle) written(t *testing.T, merchant dbtest.Merchant, url string) uuid.UUID {
	t.Helper()
	event := b.event(merchant, url)
	testenv.NoError(t, db.Run(t.Context(), b.Queries(), event.Insert()...))
	return event.ID
}

// relayAll relays until nothing is left to relay: another relay may have been
// at it.
func (b *bundle) relayAll(t testing.TB) {
	t.Helper()
	testenv.Until(t, "everything is relayed", func() bool {
		testenv.NoError(t, b.relay.Run(t.Context()))
		waiting := testenv.Must(b.Queries().WebhookOutboxAny(t.Context()))(t)
		return !waiting
	})
}

// number has the events so far in the feed without anything queued for them.
func (b *bundle) number(t *testing.T) {
	t.Helper()
	testenv.NoError(t, db.InTx(t.Context(), b.Pool, func(tx pgx.Tx, q *db.Queries) error {
		last := testenv.Must(q.WebhookRelayLock(t.Context()))(t)
		ids := testenv.Must(next(t.Context(), tx, q, math.MaxInt32))(t)
		rows := testenv.Must(q.WebhookRelayTake(t.Context(), db.WebhookRelayTakeParams{LastNumber: last, Ids: ids}))(t)
		return q.WebhookRelaySetLast(t.Context(), last+int64(len(rows)))
	}))
}

// event makes an event nothing knows of yet.
func (b *bundle) event(merchant dbtest.Merchant, url string) Event {
	return Event{
		ID: uuid.Must(uuid.NewV7()), MerchantID: merchant.ID, CashboxID: merchant.CashboxID,
		Type: "payment.status.updated", Subject: "payment", SubjectID: 1, Sequence: b.sequence.Add(1),
		URL: url, Body: []byte(sampleBody), At: b.clock.Now(),
	}
}

func (b *bundle) status(t *testing.T, id uuid.UUID) string {
	t.Helper()
	return b.Text(t, "select status from webhook_event where id = $1", id)
}

// await waits until the event has had as many attempts, and returns them.
func (b *bundle) await(t *testing.T, id uuid.UUID, count int) []db.WebhookAttempt {
	t.Helper()
	var list []db.WebhookAttempt
	of := db.WebhookAttemptListParams{MerchantIds: []int64{b.merchant.ID}, EventIds: []uuid.UUID{id}}
	testenv.Until(t, "the attempts are made", func() bool {
		list = testenv.Must(b.Queries().WebhookAttemptList(t.Context(), of))(t)
		return len(list) >= count
	})
	testenv.Need(t, len(list) == count, "%d attempts; want %d", len(list), count)
	return list
}

// hurry makes the queue forget how long failed deliveries have to wait. An
// endpoint whose lease is just ending is told, too: it may have read the
// deliveries' times before.
func (b *bundle) hurry(t *testing.T) {
	t.Helper()
	testenv.Until(t, "something waits in the queue", func() bool {
		tag := testenv.Must(b.Pool.Exec(t.Context(), "update webhook_delivery set due_at = now() where due_at > now()"))(t)
		b.Exec(t, "update webhook_endpoint set due_at = now() where due_at > now()")
		return tag.RowsAffected() > 0
	})
}

// queued is how an event's delivery stands in the queue: how many attempts were
// made, and when the next is due.
func (b *bundle) queued(t *testing.T, id uuid.UUID) (attempts int, due time.Time, queued bool) {
	t.Helper()
	err := b.Pool.QueryRow(t.Context(), "select attempts, due_at from webhook_delivery where event_id = $1", id).
		Scan(&attempts, &due)
	testenv.NoError(t, db.IgnoreNoRows(err))
	return attempts, due, err == nil
}

// once makes the first attempt without the queue, and reports whether the event
// is delivered then.
func (b *bundle) once(t *testing.T, id uuid.UUID) bool {
	t.Helper()
	key := endpointKey{b.merchant.ID, id.String()} // nobody else's, so that nobody else makes it
	b.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
		select merchant_id, id, $2, now(), round from webhook_event where id = $1`, id, key.host)
	list := testenv.Must(b.Queries().WebhookDeliveriesDue(t.Context(), db.WebhookDeliveriesDueParams{
		MerchantID: key.merchantID, Host: key.host, Most: 2,
	}))(t)
	testenv.Need(t, len(list) == 1, "%d deliveries are due", len(list))
	b.deliverer.attempt(t.Context(), key, list[0], func(n news) { testenv.NoError(t, n.err) })
	return b.status(t, id) == statusDelivered
}

// insert writes an event that is in the feed and that nothing is queued for.
func (b *bundle) insert(t *testing.T, url string) uuid.UUID {
	t.Helper()
	id := b.written(t, b.merchant, url)
	b.number(t)
	return id
}

// again sends an event again, as its merchant does.
func (b *bundle) again(t *testing.T, id uuid.UUID) Progress {
	t.Helper()
	return testenv.Must(b.events.Replay(t.Context(), b.merchant.User(caller.Owner), Replay{EventID: new(id.String())}))(t)
}

// sent is what an endpoint gets of a new event.
func (b *bundle) sent(t *testing.T, r *testenv.Endpoint) testenv.Sent {
	t.Helper()
	b.await(t, b.add(t, r.URL), 1)
	got := r.All()
	return got[len(got)-1]
}

// newReceiver is a merchant's endpoint that remembers what it got.
func newReceiver(t *testing.T, answer func(w http.ResponseWriter, nth int)) *testenv.Endpoint {
	t.Helper()
	return testenv.NewEndpoint(t, func(w http.ResponseWriter, _ *http.Request, nth int) { answer(w, nth) })
}

// codes answers with one status after the other, the last for good.
func codes(list ...int) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, nth int) { w.WriteHeader(list[min(nth, len(list))-1]) }
}

// twoAtOnce is an endpoint that says when it is asked, and answers its first
// two webhooks with what they are given.
func twoAtOnce(t *testing.T) (r *testenv.Endpoint, asked chan struct{}, answers []chan int) {
	t.Helper()
	asked, answers = make(chan struct{}, 2), []chan int{make(chan int, 1), make(chan int, 1)}
	return newReceiver(t, func(w http.ResponseWriter, nth int) {
		asked <- struct{}{}
		w.WriteHeader(<-answers[nth-1])
	}), asked, answers
}

// revealing are pieces that would tell a merchant about the network within.
var revealing = []string{
	"127.0.0.1", "::1", "10.", "169.254", "dial", "tcp", "lookup", "localhost", "connect:", "refused",
}

func revealsNothing(t *testing.T, text string) {
	t.Helper()
	for _, piece := range revealing {
		testenv.Check(t, !strings.Contains(text, piece), "%q tells of %q", text, piece)
	}
}

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 9}
