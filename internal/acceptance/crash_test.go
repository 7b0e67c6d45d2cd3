package acceptance

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// acknowledged is what the gateway has told the load's clients, and what they asked without an
// answer.
type acknowledged struct {
	mu sync.Mutex
	// ids and open, creations without an answer, are by order id; statuses and asked, those asked for, by payment id.
	ids, statuses, open, asked map[string]string
	failed                     []error
}

func newAcknowledged() *acknowledged {
	return &acknowledged{
		ids: map[string]string{}, statuses: map[string]string{}, open: map[string]string{}, asked: map[string]string{},
	}
}

func (a *acknowledged) do(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// load creates payments and moves them on until the gateway is gone.
func (v *instance) load(t *testing.T, a *acknowledged, hook string, killed <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-killed:
			return
		default:
		}
		orderID := newOrder()
		amount := fmt.Sprintf("%d.%02d", 100+n%900, rand.IntN(100))
		body := order(object{"orderId": orderID, "callbackUri": hook, "amount": amount})
		a.do(func() { a.open[orderID] = body })
		got, err := trySend(http.MethodPost, v.BaseURL+payments, body, signed(v.first(), body))
		if err != nil {
			continue // the gateway is gone; its answer stays unknown
		}
		if got.status != 200 {
			a.do(func() { a.failed = append(a.failed, fmt.Errorf("create: %s", got)) })
			return
		}
		id := got.text("data.id")
		a.do(func() { delete(a.open, orderID); a.ids[orderID], a.statuses[id] = id, "pending" })
		v.moveOn(t, a, id, n)
	}
}

// moveOn has a payment confirmed by its trader, or set by the application; every third stays
// pending.
func (v *instance) moveOn(t *testing.T, a *acknowledged, id string, n int) {
	status := []string{"completed", "failed", ""}[n%3]
	if status == "" {
		return
	}
	a.do(func() { a.asked[id] = status })
	var err error
	if status == "completed" {
		err = v.confirm(t, id)
	} else {
		body := `{"status":"failed"}`
		var got answer
		got, err = trySend(http.MethodPost, v.BaseURL+payments+"/"+id+"/callback", body, v.application(body))
		if err == nil && got.status != 200 {
			err = fmt.Errorf("callback: %s", got)
		}
	}
	if err == nil {
		a.do(func() { a.statuses[id] = status; delete(a.asked, id) })
	}
}

// confirm asks both traders of RUB requisites: the payment is one's, and none of the other's
// business.
func (v *instance) confirm(t *testing.T, id string) error {
	t.Helper()
	const call = "/portal.v1.TraderService/ConfirmReceived"
	for _, login := range []string{"trader-1", "trader-2"} {
		got, err := trySend(http.MethodPost, v.BaseURL+call, `{"paymentId":`+id+`}`, bearer(v.user(t, login).Token))
		if err != nil || got.status == http.StatusOK {
			return err
		}
		if why(got) != "not_found" {
			return fmt.Errorf("%s: %s", login, got)
		}
	}
	return fmt.Errorf("payment %s is no trader's", id)
}

// Killed in the middle of its work and started again, the gateway has kept what it said: every
// acknowledged payment and status, one payment a repeated order, a ledger that holds, and a webhook
// for every change.
func TestKilled(t *testing.T) {
	t.Parallel()
	v := restartable(t)
	s := newShop(t, v.first().WebhookSecret)
	s.delay = 500 * time.Millisecond // so that some deliveries are under way when the gateway is killed
	a := newAcknowledged()
	killed := make(chan struct{})
	var loading sync.WaitGroup
	for range 4 {
		loading.Go(func() { v.load(t, a, s.URL, killed) })
	}
	const underWay = "select count(*) from webhook_endpoint where leased_until > now() and holder is not null"
	// Killed under load, but not before there is something to lose.
	testenv.Until(t, "there is something to lose, and a delivery under way", func() bool {
		a.mu.Lock()
		enough := len(a.failed) > 0 || len(a.ids) >= testenv.Pick(t, 30, 100)
		a.mu.Unlock()
		return enough && v.count(t, underWay) > 0
	})
	v.kill()
	close(killed)
	loading.Wait()
	noError(t, errors.Join(a.failed...))

	v.pool = poolOf(t, v.DatabaseURL)
	testenv.Check(t, v.count(t, underWay) != 0, "no delivery was under way")
	if !testenv.Whole(t) { // the whole check waits for the leases of the killed process to end
		v.count(t,
			"with ended as (update webhook_endpoint set leased_until = now() returning 1) select count(*) from ended")
	}
	v.pool.Close()
	v.start(t)
	v.keptItsWord(t, a)
	v.repeatsOnce(t, a)
	v.deliversAll(t, s)
	v.wantAudit(t)
	t.Logf("%d payments acknowledged, %d creations and %d moves without an answer", len(a.ids), len(a.open),
		len(a.asked))
}

// keptItsWord reads every acknowledged payment: its status is the acknowledged one, or the one last
// asked for.
func (v *instance) keptItsWord(t *testing.T, a *acknowledged) {
	t.Helper()
	for orderID, id := range a.ids {
		got := v.read(t, id)
		status := got.text("data.status")
		testenv.Check(t, got.status == 200 && got.text("data.orderId") == orderID && (status == a.statuses[id] ||
			status == a.asked[id]), "%s: %s; acknowledged %s, asked for %q", orderID, got, a.statuses[id], a.asked[id])
	}
}

func (v *instance) repeatsOnce(t *testing.T, a *acknowledged) {
	t.Helper()
	for orderID, body := range a.open {
		first, second := v.post(t, v.first(), body), v.post(t, v.first(), body)
		testenv.Check(t, first.status == 200 && second.text("data.id") == first.text("data.id") &&
			second.header.Get("Idempotent-Replay") == "true", "%s: %s, then %s", orderID, first, second)
	}
	doubles := v.texts(t,
		"select order_id from payment group by merchant_id, method, order_id having count(*) > 1")
	testenv.Check(t, len(doubles) == 0, "two payments for %v", doubles)
}

// deliversAll waits for a webhook of every status change. Those that were under way are made again
// when their endpoints' leases have ended.
func (v *instance) deliversAll(t *testing.T, s *shop) {
	t.Helper()
	changes := v.count(t, "select count(*) from payment_history where from_status is not null")
	events := v.texts(t, "select id::text from webhook_event")
	testenv.Check(t, changes == len(events) && changes != 0, "%d events for %d status changes", len(events), changes)
	testenv.Until(t, fmt.Sprintf("%d webhooks have arrived", len(events)), func() bool {
		arrived := map[string]bool{}
		for _, l := range s.all() {
			arrived[l.text("eventId")] = true
		}
		return !slices.ContainsFunc(events, func(id string) bool { return !arrived[id] })
	})
}
