package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// lend gives the lease of all endpoints to a process that is gone, for a while.
func (b *bundle) lend(t *testing.T, seconds float64) {
	t.Helper()
	b.Exec(t, `update webhook_endpoint set holder = $1, leased_until = now() + make_interval(secs => $2),
		due_at = now() + make_interval(secs => $2)`, uuid.New(), seconds)
}

// What a process had a lease of when it died is delivered by another when the lease has ended, and not before.
func TestLeaseEnds(t *testing.T) {
	b := quiet(t)
	r := newReceiver(t, codes(http.StatusOK))
	b.flood(t, b.merchant, r.URL, 1)
	lent := testenv.Pick(1, 3)
	b.lend(t, float64(lent))
	ends := time.Now().Add(time.Duration(lent) * time.Second)
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
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

// A process that stops brings to an end what it has begun, begins nothing, and leaves the rest to others at once.
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
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
	testenv.Until(t, "the others are delivered", func() bool { return len(r.all()) == 5 })
}

// Two processes share the endpoints: each event is delivered once.
func TestTwoProcesses(t *testing.T) {
	b := setup(t)
	b.deliver(t, outbound.NewAddresses(true), prometheus.NewRegistry())
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
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where status = 'delivered'"), endpoints*each,
		"are delivered")
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
