package acceptance

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"gateway.example/internal/testenv"
)

// Whatever stands in a request line, a header, a query or a body, the log stays a JSON object a line, with
// nothing of it: no line of a caller's own, no escape of a terminal.
func TestLogLines(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	const forged = "{\"level\":\"ERROR\",\"msg\":\"forged\"}"
	for _, address := range []string{g.BaseURL, g.PayURL, g.PortalURL, g.OpsURL} {
		for _, request := range []string{
			"GET /%0a" + forged + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET /?forged=%0d%0a%1b[31m HTTP/1.1\r\nHost: x\r\nX-Request-Id: forged\r\nConnection: close\r\n\r\n",
			"GET /forged\x1b[31m HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"FORGED / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: forged\x1b[31m\r\nConnection: close\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\nUser-Agent: \x1b[31m" + forged + "\r\nReferer: " + forged + "\r\nX-Merchant-Key-Id: " + forged +
				"\r\nSignature: " + forged + "\r\nX-Merchant-Secret: x\r\nX-Request-Id: a" + forged + "\r\nConnection: close\r\n\r\n",
			"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\nConnection: close\r\n\r\nlogin=%0aforged",
		} {
			_, _ = io.Copy(io.Discard, dialled(t, address, request))
		}
	}
	send(t, http.MethodGet, g.BaseURL+payments, "", header{"X-Request-Id": "the-last-line"})
	g.stderr.await(t, "the-last-line")
	written := g.stderr.String()
	for text := range strings.Lines(written[:strings.LastIndex(written, "\n")+1]) {
		var line struct{ Level, Msg, Method string }
		err := json.Unmarshal([]byte(text), &line)
		known := strings.Contains(text, `"request_id":"forged"`) || line.Method == "FORGED"
		testenv.Check(t, err == nil && line.Level != "" && line.Msg != "forged" && !strings.Contains(text, "\x1b") &&
			(!strings.Contains(text, "orged") || known), "the log has %q, %v", text, err)
	}
}
