package acceptance

import (
	"errors"
	"io"
	"net"
	"path"
	"strings"
	"testing"

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
	// The signal must find the request begun: the server is at it once it asks for the body.
	slow := g.begun(t, payments, with(headers, "Expect", "100-continue"), len(body), "")
	testenv.Must(io.ReadFull(slow, make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))))(t)
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
	testenv.Must(slow.Write([]byte(body)))(t)
	got := answerOn(t, slow).must(t, "the answer", 200, "data.orderId", orderID)
	keepSecret(path.Base(got.text("data.paymentPageUrl")))
	testenv.Want(t, g.count(t, "select count(*) from payment where order_id = $1", orderID), 1, "payments")
	noError(t, g.stop())
}
