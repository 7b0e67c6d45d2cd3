package acceptance

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// awaitKey waits until a change of a key, or of its merchant, is known: what is known of a key may be a second old.
func (g *instance) awaitKey(t *testing.T, box sandbox.Cashbox, changed bool, status int) {
	t.Helper()
	if !changed {
		return
	}
	testenv.Until(t, fmt.Sprintf("a read is answered with %d", status), func() bool {
		return send(t, http.MethodGet, g.BaseURL+payments+"/999999", "", signed(box, "")).status == status
	})
}

// A sender that hangs up in the middle of a body takes nothing along: its order id is still free.
func TestBrokenSender(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	body := order(nil)
	for _, sent := range []int{0, 1, len(body) - 1} {
		slow := g.dial(t, body)
		testenv.Must(slow.Write([]byte(body[:sent])))(t)
		noError(t, slow.Close())
	}
	if got := g.post(t, g.first(), body); got.status != 200 || got.header.Get("Idempotent-Replay") != "" {
		t.Errorf("afterwards: %s", got)
	}
}

// dial begins a signed creation by hand: its headers are sent, of its body nothing yet.
func (g *instance) dial(t *testing.T, body string) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(g.BaseURL, "http://")
	conn, err := net.Dial("tcp", host)
	noError(t, err)
	_, err = fmt.Fprintf(conn,
		"POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", payments, host,
		len(body))
	noError(t, err)
	for name, value := range signed(g.first(), body) {
		testenv.Must(fmt.Fprintf(conn, "%s: %s\r\n", name, value))(t)
	}
	testenv.Must(fmt.Fprint(conn, "\r\n"))(t)
	return conn
}
