package acceptance

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// dialled is a bare connection to one of the program's ports.
func dialled(t *testing.T, address, sent string) net.Conn {
	t.Helper()
	conn := testenv.Must(net.DialTimeout("tcp", strings.TrimPrefix(address, "http://"), testenv.Patience))(t)
	t.Cleanup(func() { _ = conn.Close() })
	noError(t, conn.SetDeadline(time.Now().Add(testenv.Patience)))
	testenv.Must(io.WriteString(conn, sent))(t)
	return conn
}

// begun is a call that is begun by hand: of a body of that length so much is sent.
func (g *instance) begun(t *testing.T, path string, headers header, length int, body string) net.Conn {
	t.Helper()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: gateway\r\nContent-Length: %d\r\n", path, length)
	for name, value := range headers {
		if value != "" {
			head += name + ": " + value + "\r\n"
		}
	}
	return dialled(t, g.BaseURL, head+"\r\n"+body)
}

// answerOn is what is answered on such a connection.
func answerOn(t *testing.T, conn net.Conn) answer {
	t.Helper()
	response := testenv.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	defer func() { _ = response.Body.Close() }()
	raw := string(testenv.Must(io.ReadAll(response.Body))(t))
	return answer{status: response.StatusCode, header: response.Header, raw: raw, body: decoded(raw)}
}

// A sender that hangs up in the middle of a body takes nothing along: its order id is still free.
func TestBrokenSender(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	body := order(nil)
	headers := with(signed(g.first(), body), "Content-Type", "application/json")
	for _, sent := range []int{0, 1, len(body) - 1} {
		noError(t, g.begun(t, payments, headers, len(body), body[:sent]).Close())
	}
	got := g.post(t, g.first(), body).must(t, "afterwards", 200)
	testenv.Want(t, got.header.Get("Idempotent-Replay"), "", "it is a replay")
}

// A form that is too large comes from a client that sends all before it reads: it gets its answer, not a
// reset. What a key may do is settled before anything of a body is read: that answer does not wait for a body that never comes.
func TestUploadsRefusedUnread(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	path := strings.TrimPrefix(g.appealURL(g.failed(t)), g.BaseURL)
	good := appealHeaders(g.first(), "x", "a.pdf", len(pdf))
	noScope, off := g.uploader(t, 1), g.uploader(t, 2)
	g.exec(t, "update api_key set scopes = '{payouts}' where key_id = $1", noScope.KeyID)
	g.exec(t, "update merchant set api_enabled = false where name = $1", off.KeyID)
	for name, test := range map[string]struct {
		length, sent int
		headers      header
		status       int
		code         string
	}{
		"one byte over":       {uploadLimit + 1, uploadLimit + 1, good, 413, "body_too_large"},
		"three times as much": {3 * uploadLimit, 3 * uploadLimit, good, 413, "body_too_large"},
		"unsigned":            {3 * uploadLimit, 3 * uploadLimit, with(good, "Signature", ""), 401, "signature_required"},
		"a wrong secret":      {uploadLimit, 0, with(good, "X-Merchant-Secret", "wrong"), 403, "invalid_signature"},
		"no merchant": {uploadLimit, 0, appealHeaders(g.box(t, "sandbox-without-merchant"), "x", "a.pdf", 1), 403,
			"merchant_binding_required"},
		"no scope": {uploadLimit, 0, appealHeaders(noScope, "x", "a.pdf", 1), 403, "merchant_scope_required"},
		"no API":   {uploadLimit, 0, appealHeaders(off, "x", "a.pdf", 1), 403, "merchant_api_disabled"},
	} {
		conn := g.begun(t, path, test.headers, test.length, strings.Repeat("x", test.sent))
		answerOn(t, conn).want(t, name, test.status, "code", test.code)
	}
}
