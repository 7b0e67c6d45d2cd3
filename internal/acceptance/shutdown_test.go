package acceptance

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
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
	slow := g.dial(t, body)
	defer func() { _ = slow.Close() }()
	testenv.Must(slow.Write([]byte(body[:10])))(t)
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
	response := testenv.Must(http.ReadResponse(bufio.NewReader(slow), nil))(t)
	content := testenv.Must(io.ReadAll(response.Body))(t)
	var got struct {
		Data struct{ OrderID, PaymentPageURL string }
	}
	noError(t, json.Unmarshal(content, &got))
	keepSecret(got.Data.PaymentPageURL[strings.LastIndex(got.Data.PaymentPageURL, "/")+1:])
	if response.StatusCode != 200 || got.Data.OrderID != orderID {
		t.Errorf("answered %d %s", response.StatusCode, content)
	}
	testenv.Want(t, g.count(t, "select count(*) from payment where order_id = $1", orderID), 1, "payments")
	noError(t, g.stop())
}
