package webhook

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// write writes events that are still to be relayed.
func (b *bundle) write(t *testing.T, count int) (list []uuid.UUID) {
	t.Helper()
	for range count {
		list = append(list, b.written(t, b.merchant, nowhere))
	}
	return list
}

// quiet is a bundle whose deliveries are queued and not made.
func quiet(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.stop()
	return b
}

// line are the events that deliveries are queued for, in their order.
func (b *bundle) line(t *testing.T) (list []uuid.UUID) {
	t.Helper()
	for _, id := range b.Texts(t, "select event_id::text from webhook_delivery order by due_at, event_id") {
		list = append(list, uuid.MustParse(id))
	}
	return list
}

// all is the whole feed, by pages.
func (b *bundle) all(t *testing.T) (list []uuid.UUID) {
	t.Helper()
	for page := (FeedPage{}); ; {
		next, cursor := b.feed(t, page)
		if len(next) == 0 {
			return list
		}
		list, page.Cursor = append(list, ids(next)...), cursor
	}
}

// apart is a connection of its own.
func apart(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn := testenv.Must(pgx.Connect(t.Context(), url))(t)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Relays of several processes number and queue each event once, in the order
// they were written in.
func TestRelaysAtOnce(t *testing.T) {
	b := quiet(t)
	want := b.write(t, 2*relayBatch+10)
	pool := b.Open(t, 4, db.ForCommands)
	testenv.NoError(t, testenv.AtOnce(4, func(int) error {
		relay := NewRelay(pool, b.clock, prometheus.NewRegistry())
		var errs []error
		for range 10 {
			errs = append(errs, relay.Run(t.Context()))
		}
		return errors.Join(errs...)
	})...)
	b.relayAll(t)
	testenv.WantAll(t, b.all(t), want, "the feed")
	testenv.WantAll(t, b.line(t), want, "deliveries")
	last := b.Count(t, "select max(number) from webhook_event")
	testenv.Want(t, last, len(want), "the last number is")
}

// A relay that dies between numbering and queueing has done nothing, and the
// next does all of it.
func TestRelayDies(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]string{
		"with an error": "raise exception 'broken'",
		"killed":        "perform pg_terminate_backend(pg_backend_pid())",
	} {
		t.Run(name, func(t *testing.T) {
			b := quiet(t)
			want := b.write(t, 5)
			b.Exec(t, `create function die() returns trigger language plpgsql as $$ begin `+end+`; return null; end $$;
				create trigger die after insert on webhook_delivery for each statement execute function die()`)
			testenv.Check(t, b.relay.Run(t.Context()) != nil, "no error")
			testenv.Want(t, len(b.all(t))+len(b.line(t)), 0, "events and deliveries that are left")
			b.Exec(t, "drop function die cascade")
			b.relayAll(t)
			testenv.WantAll(t, b.all(t), want, "then the feed")
			testenv.WantAll(t, b.line(t), want, "then deliveries")
		})
	}
}

// A relay that freezes while it holds the lock keeps the others out for a
// moment only.
func TestRelayFreezes(t *testing.T) {
	b := quiet(t)
	pool := b.Open(t, 1, db.ForCommands)
	frozen := testenv.Must(relayTx{pool}.Begin(t.Context()))(t)
	defer func() { _ = frozen.Rollback(context.Background()) }()
	testenv.Must(db.New(frozen).WebhookRelayLock(t.Context()))(t)
	want := b.write(t, 1)
	testenv.NoError(t, b.relay.Run(t.Context()))
	testenv.Want(t, len(b.all(t)), 0, "two relays at a time")
	b.relayAll(t)
	testenv.WantAll(t, b.all(t), want, "the feed")
}

// An event that somebody else has locked waits, and the others do not wait for
// it.
func TestRelayPassesByTheLocked(t *testing.T) {
	b := quiet(t)
	list := b.write(t, 3)
	tx := b.Beside(t)
	testenv.Must(tx.Exec(t.Context(), "select from webhook_event where id = $1 for update", list[0]))(t)
	testenv.NoError(t, b.relay.Run(t.Context()))
	testenv.WantAll(t, b.all(t), list[1:], "the feed")
	testenv.NoError(t, tx.Rollback(t.Context()))
	b.relayAll(t)
	testenv.WantAll(t, b.all(t), append(list[1:], list[0]), "then the feed")
}

// A transaction that began first and commits last does not put its event before
// a cursor already handed out, and does not hold up the feed meanwhile. Neither
// does one in another database of the server.
func TestFeedWaitsForNoTransaction(t *testing.T) {
	b := quiet(t)
	elsewhere := dbtest.New(t).Beside(t)
	testenv.Must(elsewhere.Exec(t.Context(), "select pg_current_xact_id()"))(t)
	tx := b.Beside(t)
	late := b.event(b.merchant, nowhere)
	testenv.NoError(t, db.Run(t.Context(), db.New(tx), late.Insert()...))
	first := b.write(t, 2)
	b.relayAll(t)
	list, cursor := b.feed(t, FeedPage{})
	testenv.WantAll(t, ids(list), first, "while a transaction is open")
	testenv.NoError(t, tx.Commit(t.Context()))
	after := b.write(t, 1)
	b.relayAll(t)
	list, _ = b.feed(t, FeedPage{Paging: Paging{Cursor: cursor}})
	testenv.WantAll(t, ids(list), []uuid.UUID{late.ID, after[0]}, "after the cursor")
}

// A restored database shows all events, and a cursor saved before goes on in
// it. Restoring a dump copies the tables, and nothing of the server's own
// transaction ids.
func TestFeedIsRestored(t *testing.T) {
	b := quiet(t)
	want := b.write(t, 9)
	b.relayAll(t)
	_, cursor := b.feed(t, FeedPage{})
	want = append(want, b.write(t, 2)...) // not relayed when the dump was made
	restored := &bundle{DB: dbtest.New(t), merchant: b.merchant, clock: b.clock}
	restored.sequence.Store(b.sequence.Load())
	from, to := apart(t, b.URL).PgConn(), apart(t, restored.URL).PgConn()
	testenv.Must(to.Exec(t.Context(), "delete from webhook_relay").ReadAll())(t)
	for _, table := range []string{"merchant", "cashbox", "webhook_event", "webhook_outbox", "webhook_relay"} {
		var rows bytes.Buffer
		testenv.Must(from.CopyTo(t.Context(), &rows, "copy (select * from "+table+") to stdout"))(t)
		testenv.Must(to.CopyFrom(t.Context(), &rows, "copy "+table+" from stdin"))(t)
	}
	testenv.Must(to.Exec(t.Context(), "select setval('webhook_outbox_id_seq', (select max(id) from webhook_outbox))").
		ReadAll())(t)
	restored.events = NewEvents(restored.Pools(), b.vault, b.clock)
	restored.relay = NewRelay(restored.Pool, b.clock, prometheus.NewRegistry())
	want = append(want, restored.write(t, 4)...)
	restored.relayAll(t)
	testenv.WantAll(t, restored.all(t), want, "the feed")
	list, _ := restored.feed(t, FeedPage{Paging: Paging{Cursor: cursor}})
	testenv.Check(t, len(list) == 6, "after the cursor there are %d events", len(list))
}

// An event sent again before it was relayed has one schedule of delivery.
func TestReplayBeforeRelay(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(500))
	id := b.written(t, b.merchant, r.URL)
	b.again(t, id)
	b.relayAll(t)
	b.await(t, id, 1)
	count := len(r.All())
	testenv.Check(t, count == 1 && len(b.all(t)) == 1, "sent %d times, %d in the feed", count, len(b.all(t)))
}

func TestRelayAge(t *testing.T) {
	b := quiet(t)
	const name = "gateway_webhook_relay_age_seconds"
	testenv.Want(t, b.metric(t, name), 0, "of nothing")
	b.write(t, 1)
	b.clock.Advance(90 * time.Second)
	b.write(t, 1)
	testenv.Want(t, b.metric(t, name), 90, "of the oldest")
	b.relayAll(t)
	testenv.Want(t, b.metric(t, name), 0, "of none any more")
}

// lend gives the lease of all endpoints to a process that is gone, for a while.
func (b *bundle) lend(t *testing.T, seconds float64) {
	t.Helper()
	b.Exec(t, `update webhook_endpoint set holder = $1, leased_until = now() + make_interval(secs => $2),
		due_at = now() + make_interval(secs => $2)`, uuid.New(), seconds)
}

// What a process had a lease of when it died is delivered by another when the
// lease has ended, and not before.
func TestLeaseEnds(t *testing.T) {
	b := quiet(t)
	r := newReceiver(t, codes(http.StatusOK))
	b.flood(t, b.merchant, r.URL, 1)
	lent := testenv.Pick(t, 1, 3)
	ends := time.Now().Add(time.Duration(lent) * time.Second)
	b.lend(t, float64(lent))
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
	// More has come for the endpoint meanwhile: that does not end the lease
	// either.
	b.flood(t, b.merchant, r.URL, 1)
	testenv.Until(t, "both are delivered", func() bool { return len(r.All()) == 2 })
	early := time.Until(ends)
	testenv.Check(t, early <= 0, "delivered %s before the lease ended", early)
}

// midway is a bundle with five deliveries to an endpoint, which has been asked
// for the first and waits until it may answer.
func midway(t *testing.T) (b *bundle, r *testenv.Endpoint, answer chan struct{}) {
	t.Helper()
	b, answer = setup(t), make(chan struct{})
	asked := make(chan struct{}, 100)
	r = newReceiver(t, func(http.ResponseWriter, int) {
		asked <- struct{}{}
		<-answer
	})
	b.flood(t, b.merchant, r.URL, 5)
	<-asked
	return b, r, answer
}

// A process that finds another has the lease leaves the endpoint alone, but for
// what it has begun.
func TestLostLease(t *testing.T) {
	b, r, answer := midway(t)
	testenv.NoError(t, b.deliverer.renew(t.Context()))
	leased := b.Count(t, "select count(*) from webhook_endpoint where leased_until > now() + interval '20 s'")
	testenv.Check(t, leased == 1, "%d leases were renewed", leased)
	b.lend(t, 3600)
	testenv.NoError(t, b.deliverer.renew(t.Context()))
	close(answer)
	testenv.Until(t, "the attempt is kept",
		func() bool { return b.Count(t, "select count(*) from webhook_attempt") == 1 })
	b.stop()
	left := b.Count(t, "select count(*) from webhook_delivery")
	testenv.Check(t, left == 4 && len(r.All()) == 1, "%d were sent, %d are left", len(r.All()), left)
	held := b.Count(t, "select count(*) from webhook_endpoint where leased_until > now() + interval '1 minute'")
	testenv.Check(t, held == 1, "the other's lease was ended")
}

// A process that stops brings to an end what it has begun, begins nothing, and
// leaves the rest to others at once.
func TestStopInTheMiddle(t *testing.T) {
	b, r, answer := midway(t)
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.stop()
	}()
	select {
	case <-stopped:
		t.Error("it has stopped in the middle of a delivery")
	case <-time.After(200 * time.Millisecond):
	}
	close(answer)
	<-stopped
	testenv.Want(t, b.Count(t, "select count(*) from webhook_attempt"), 1, "attempts that are kept")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_delivery"), 4, "deliveries that are left")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_endpoint where leased_until > now() or due_at > now()"), 0,
		"endpoints that others have to wait for")
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
	testenv.Until(t, "the others are delivered", func() bool { return len(r.All()) == 5 })
}

// Two processes share the endpoints: each event is delivered once.
func TestTwoProcesses(t *testing.T) {
	b := setup(t)
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
	endpoints, each := testenv.Pick(t, 4, 8), testenv.Pick(t, 10, 50)
	var receivers []*testenv.Endpoint
	for range endpoints {
		r := newReceiver(t, codes(http.StatusOK))
		receivers = append(receivers, r)
		b.flood(t, b.merchant, r.URL, each)
	}
	testenv.Until(t, "nothing is left to deliver",
		func() bool { return b.Count(t, "select count(*) from webhook_delivery") == 0 })
	for _, r := range receivers {
		testenv.Want(t, len(r.All()), each, "webhooks that came in")
	}
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where status = 'delivered'"), endpoints*each,
		"are delivered")
}

// What comes for an endpoint whose lease has run out, as during an outage of
// the database, is looked for, although the process that had the lease leaves
// at that moment and does not see yet what has come.
func TestLeavingMissesNothing(t *testing.T) {
	b := quiet(t)
	id := b.write(t, 1)[0]
	const host = "shop.example"
	b.Exec(t, `insert into webhook_endpoint (merchant_id, host, due_at, leased_until, holder)
		values ($1, $2, now() - interval '1 minute', now() - interval '1 minute', $3)`, b.merchant.ID, host, b.deliverer.holder)
	tx := b.Beside(t)
	merchants, hosts := []int64{b.merchant.ID}, []string{host}
	testenv.NoError(t, db.Pipeline(t.Context(), tx,
		db.Do((*db.Queries).WebhookDeliveryQueue, db.WebhookDeliveryQueueParams{
			MerchantIds: merchants, EventIds: []uuid.UUID{id}, Hosts: hosts,
		}),
		db.Do((*db.Queries).WebhookEndpointTell, db.WebhookEndpointTellParams{MerchantIds: merchants, Hosts: hosts}),
	))
	left := make(chan struct{})
	go func() {
		defer close(left)
		b.deliverer.visit(endpointKey{b.merchant.ID, host}, false).leave(context.WithoutCancel(t.Context()))
	}()
	b.AwaitBlocked(t)
	testenv.NoError(t, tx.Commit(t.Context()))
	<-left
	testenv.Want(t, b.Count(t, "select count(*) from webhook_endpoint where holder is null and due_at <= now()"), 1,
		"endpoints that are looked at now")
}
