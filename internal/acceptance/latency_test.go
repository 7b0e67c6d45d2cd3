package acceptance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// A webhook is on its way soon after the change it tells of. A busy machine makes every delivery
// slow, so it is compared with events that are sent again: their deliveries are queued in the call
// itself and wait for no relay.
func TestWebhookComesSoon(t *testing.T) {
	testenv.Long(t, "measures time")
	t.Parallel()
	g := sharedSandbox(t)
	merchant := g.user(t, "merchant").Token
	arrived := make(chan time.Time, 1)
	r := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
		arrived <- time.Now()
	}))
	t.Cleanup(r.Close)
	took := func(change func()) time.Duration {
		// The queue is told of new jobs only once in a while: not of this one with the one before.
		time.Sleep(50 * time.Millisecond)
		change()
		answered := time.Now()
		select {
		case at := <-arrived:
			return at.Sub(answered)
		case <-time.After(testenv.Patience):
			t.Fatal("no webhook")
			return 0
		}
	}
	var relayed, again []time.Duration
	for range 15 {
		id := g.create(t, g.first(), object{"callbackUri": r.URL}).text("data.id")
		relayed = append(relayed, took(func() { g.callback(t, id, `{"status":"completed"}`) }))
		event := g.texts(t, "select id::text from webhook_event where url = $1 order by number desc limit 1", r.URL)[0]
		again = append(again, took(func() {
			g.portal(t, merchant, "MerchantService/ReplayEvents", `{"eventId":"`+event+`"}`)
		}))
	}
	slices.Sort(relayed)
	slices.Sort(again)
	relay, replay := relayed[len(relayed)/2], again[len(again)/2]
	t.Logf("relayed after %s, sent again after %s; medians", relay, replay)
	testenv.Check(t, relay <= replay+150*time.Millisecond, "relayed after %s, sent again after %s", relay, replay)
}
