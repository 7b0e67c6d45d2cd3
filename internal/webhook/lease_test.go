package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// lend gives the lease of all endpoints to a process that is gone, for a while.
func (b *bundle) lend(t *testing.T, seconds float64) {
	t.Helper()
	b.Exec(t, `update webhook_endpoint set holder = $1, leased_until = now() + make_interval(secs => $2),
		due_at = now() + make_interval(secs => $2)`, uuid.New(), seconds)
}

// What a process had a lease of when it died is delivered by another when the lease has ended, and
// not before.
func TestLeaseEnds(t *testing.T) {
	b := quiet(t)
	r := newReceiver(t, codes(http.StatusOK))
	b.flood(t, b.merchant, r.URL, 1)
	lent := testenv.Pick(1, 3)
	b.lend(t, float64(lent))
	ends := time.Now().Add(time.Duration(lent) * time.Second)
	b.deliver(t, NewAddresses(true), prometheus.NewRegistry())
	// More has come for the endpoint meanwhile: that does not end the lease either.
	b.flood(t, b.merchant, r.URL, 1)
	testenv.Until(t, "both are delivered", func() bool { return len(r.all()) == 2 })
	if early := time.Until(ends); early > 0 {
		t.Errorf("delivered %s before the lease ended", early)
	}
}

// A process that finds another has the lease leaves the endpoint alone, but for what it has begun.
func TestLostLease(t *testing.T) {
	b := setup(t)
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, int) {
		asked <- struct{}{}
		<-answer
	})
	b.flood(t, b.merchant, r.URL, 5)
	<-asked
	noError(t, b.deliverer.renew(t.Context()))
	if leased := b.Count(
		t, "select count(*) from webhook_endpoint where leased_until > now() + interval '29 s'",
	); leased != 1 {
		t.Errorf("%d leases were renewed", leased)
	}
	b.lend(t, 3600)
	noError(t, b.deliverer.renew(t.Context()))
	close(answer)
	testenv.Until(t, "the attempt is kept",
		func() bool { return b.Count(t, "select count(*) from webhook_attempt") == 1 })
	b.stop()
	if left := b.Count(t, "select count(*) from webhook_delivery"); left != 4 || len(r.all()) != 1 {
		t.Errorf("%d were sent, %d are left", len(r.all()), left)
	}
	if held := b.Count(
		t, "select count(*) from webhook_endpoint where leased_until > now() + interval '1 minute'",
	); held != 1 {
		t.Error("the other's lease was ended")
	}
}

// A process that stops brings to an end what it has begun, begins nothing, and leaves the rest to
// others at once.
func TestStopInTheMiddle(t *testing.T) {
	b := setup(t)
	asked, answer := make(chan struct{}, 100), make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, int) {
		asked <- struct{}{}
		<-answer
	})
	b.flood(t, b.merchant, r.URL, 5)
	<-asked
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
	if kept, left := b.Count(t, "select count(*) from webhook_attempt"), b.Count(
		t, "select count(*) from webhook_delivery",
	); kept != 1 || left != 4 {
		t.Errorf("%d attempts are kept, %d deliveries are left", kept, left)
	}
	if kept := b.Count(
		t, "select count(*) from webhook_endpoint where leased_until > now() or due_at > now()",
	); kept != 0 {
		t.Error("others have to wait for the endpoint")
	}
	b.deliver(t, NewAddresses(true), prometheus.NewRegistry())
	testenv.Until(t, "the others are delivered", func() bool { return len(r.all()) == 5 })
}

// Two processes share the endpoints: each event is delivered once.
func TestTwoProcesses(t *testing.T) {
	b := setup(t)
	b.deliver(t, NewAddresses(true), prometheus.NewRegistry())
	endpoints, each := testenv.Pick(4, 8), testenv.Pick(10, 50)
	var receivers []*receiver
	for range endpoints {
		r := newReceiver(t, codes(http.StatusOK))
		receivers = append(receivers, r)
		b.flood(t, b.merchant, r.URL, each)
	}
	testenv.Until(t, "nothing is left to deliver",
		func() bool { return b.Count(t, "select count(*) from webhook_delivery") == 0 })
	for _, r := range receivers {
		testenv.Want(t, len(r.all()), each, "webhooks that came in")
	}
	if delivered := b.Count(
		t, "select count(*) from webhook_event where status = 'delivered'",
	); delivered != endpoints*each {
		t.Errorf("%d are delivered", delivered)
	}
}

// What cannot be written keeps nothing else from it.
func TestWriterPutsOneAside(t *testing.T) {
	b := quiet(t)
	w := &writer{pool: b.Pool}
	results := make(chan error, 20)
	for n := range cap(results) {
		query := db.Do((*db.Queries).WebhookEndpointTell,
			db.WebhookEndpointTellParams{MerchantIds: []int64{int64(n)}, Hosts: []string{"h"}})
		if n%5 == 0 {
			query = db.Do((*db.Queries).WebhookDeliveryAgain, db.WebhookDeliveryAgainParams{
				EventIds: []uuid.UUID{{}, {}}, Rounds: []int32{1, 1}, // the same twice is refused
			})
		}
		go func() { results <- w.write(query) }()
	}
	failed := 0
	for range cap(results) {
		if err := <-results; err != nil {
			failed++
		}
	}
	if written := b.Count(t, "select count(*) from webhook_endpoint"); failed != 4 || written != 16 {
		t.Errorf("%d failed, %d were written", failed, written)
	}
}

// The jobs of the queue there was before become deliveries: due when they were, after as many
// attempts as they had, of the endpoints as they are called now.
func TestJobsAreMigrated(t *testing.T) {
	t.Parallel()
	const before = 42
	d := dbtest.At(t, before)
	urls := []string{
		"https://Shop.example/hook", "https://shop.example:8443/hook?a=1#b", "http://user:word@127.0.0.1:80",
		"https://[2001:db8::1]:9/@x",
	}
	d.Exec(t, `
		create type river_job_state as enum ('available', 'retryable', 'scheduled', 'running', 'completed', 'cancelled', 'discarded');
		create table river_job (id bigint generated always as identity, kind text, state river_job_state, attempt int, scheduled_at timestamptz,
			args jsonb);
		create table river_leader (x int); create table river_queue (x int); create table river_migration (x int);
		create function river_job_notify() returns int language sql as 'select 1'`)
	d.Exec(t, `
		with e as (
			insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, number, round,
				status)
			select 1, gen_random_uuid(), 1, 'payment.status.updated', 'payment', place, 1, url, '{}', now(), place, 2,
				case when place = 5 then 'delivered' else 'pending' end
			from unnest($1::text[] || 'https://shop.example/done'::text) with ordinality as u (url, place) returning *
		)
		insert into river_job (kind, state, attempt, scheduled_at, args)
		select 'webhook', case subject_id when 1 then 'running' when 2 then 'retryable' when 5 then 'completed' else 'available' end::river_job_state,
			subject_id, '2026-11-20 12:00Z'::timestamptz + make_interval(hours => subject_id::int),
			jsonb_build_object('event_id', id, 'round', 2) from e
		union all
		select 'webhook', 'available', 9, '2026-11-20 12:00Z', jsonb_build_object('event_id', id, 'round', 1) from e`, urls)
	noError(t, db.Migrate(t.Context(), d.URL))
	rows, err := d.Pool.Query(
		t.Context(),
		`select e.url, d.host, d.attempts, d.round, extract(hour from d.due_at at time zone 'UTC')::int
		from webhook_delivery d join webhook_event e on e.id = d.event_id
		join webhook_endpoint p on p.merchant_id = d.merchant_id and p.host = d.host and p.due_at <= d.due_at order by e.number`,
	)
	noError(t, err)
	n := 0
	var url, host string
	var attempts, round, hour int
	_, err = pgx.ForEachRow(rows, []any{&url, &host, &attempts, &round, &hour}, func() error {
		wantAttempts := n + 1
		if n == 0 {
			wantAttempts = 0 // the first was under way, and is made again
		}
		if url != urls[n] || host != hostOf(url) || attempts != wantAttempts || round != 2 || hour != 13+n {
			t.Errorf("%s of %s: %d attempts of round %d, due at %d", host, url, attempts, round, hour)
		}
		n++
		return nil
	})
	noError(t, err)
	left := d.Count(t, "select count(*) from pg_class where relname like 'river%'")
	if n != len(urls) || left != 0 {
		t.Errorf("%d deliveries, %d tables are left", n, left)
	}
}
