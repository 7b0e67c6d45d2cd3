package acceptance

import (
	"errors"
	"net"
	"path"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// A request that is under way when the signal comes is answered, and what it did is kept.
func TestShutdownFinishesRequests(t *testing.T) {
	t.Parallel()
	g := freshSandbox(t)
	s := newShop(t, g.first().WebhookSecret)
	orderID := newOrder()
	body := order(object{"orderId": orderID, "callbackUri": s.URL})
	headers := with(signed(g.first(), body), "Content-Type", "application/json")
	slow := g.begun(t, payments, headers, len(body), body[:10])
	// The signal must find the request begun: the server is at it once it has read the headers.
	time.Sleep(200 * time.Millisecond)
	g.cancel()
	noError(t, testenv.Eventually(func() error {
		conn, err := net.Dial("tcp", strings.TrimPrefix(g.BaseURL, "http://"))
		if err != nil {
			return nil //nolint:nilerr // that nobody answers is what is waited for
		}
		_ = conn.Close()
		return errors.New("still takes connections")
	}))
	if err := ready(g.OpsURL); err == nil {
		t.Error("readyz says ready while it stops")
	}
	testenv.Must(slow.Write([]byte(body[10:])))(t)
	got := answerOn(t, slow).must(t, "the answer", 200, "data.orderId", orderID)
	keepSecret(path.Base(got.text("data.paymentPageUrl")))
	testenv.Want(t, g.count(t, "select count(*) from payment where order_id = $1", orderID), 1, "payments")
	noError(t, g.stop())
}
