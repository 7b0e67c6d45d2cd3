package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
)

// What sign prints, sent with the body, is let in: by a sandbox's own key, and by one that is given. What else the
// commands say, the scripts of cmd/gateway say.
func TestSign(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	for name, variables := range map[string]map[string]string{
		"lent":  {"GATEWAY_DATA_DIR": g.dir},
		"given": {"GATEWAY_MERCHANT_SECRET": g.first().Secret},
	} {
		body := order(nil)
		out, _, err := command(t, body, variables, "sign", "-key-id", g.first().KeyID)
		noError(t, err)
		headers := header{}
		for line := range strings.Lines(out) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			headers[name] = value
		}
		if got := send(t, "POST", g.BaseURL+payments, body, headers); got.status != 200 || len(headers) != 3 {
			t.Errorf("%s: %d headers: %s", name, len(headers), got)
		}
	}
}

// program runs the program itself to its end: a command's exit status is its own.
func program(t *testing.T, args ...string) (output string, status int) {
	t.Helper()
	out, errs, err := command(t, "", nil, args...)
	var failed failure
	testenv.Need(t, err == nil || errors.As(err, &failed), "%v", err)
	return out + errs, failed.status
}

// wantExit checks a command's exit status and that its output has all of these words.
func wantExit(t *testing.T, what string, output string, status, want int, words ...string) {
	t.Helper()
	for _, word := range words {
		testenv.Check(t, strings.Contains(output, word), "%s: not told of %q: %s", what, word, output)
	}
	testenv.Check(t, status == want && !strings.Contains(output, "hunter2"), "%s: exit %d: %s", what, status, output)
}

// listener runs "gateway listen" on an address, and waits until it listens.
func listener(t *testing.T, g *instance, address string, flags ...string) (string, *text) {
	t.Helper()
	heard := new(text)
	args := append([]string{"listen", "-data-dir", g.dir, "-addr", address}, flags...)
	cmd := gatewayCommand(context.Background(), nil, args...)
	cmd.Stdout, cmd.Stderr = heard, heard
	p := start(cmd, heard)
	t.Cleanup(func() {
		p.cancel()
		if <-p.ended; p.err != nil {
			t.Error(p.err)
		}
	})
	heard.await(t, "waiting for webhooks on http://"+address)
	return address, heard
}

// A webhook goes on to a program of the developer's as it came, byte by byte, and what that answers is
// what the gateway hears. While it is away, the gateway sends the webhook again.
func TestListenForwards(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	var mu sync.Mutex
	var bodies []string
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		verifier, _ := standardwebhooks.NewWebhook(g.first().WebhookSecret)
		if err := verifier.Verify(body, r.Header); err != nil || r.URL.String() != "/hook?a=1" ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if bodies = append(bodies, string(body)); len(bodies) == 1 {
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	port := freeAddr()                  // which no outgoing connection takes meanwhile
	noError(t, behind.Listener.Close()) // away for now
	forward := "http://" + port + "/hook?a=1"
	address, heard := listener(t, g, freeAddr(), "-forward", forward)

	made := g.create(t, g.first(), object{"callbackUri": "http://" + address + "/webhook"})
	id := made.text("data.uuid")
	g.does(t, `nobody | POST /api/v1/sandbox/trigger | {"event":"payment.completed","id":"`+id+`"} | 200`)
	heard.await(t, "not forwarded: "+forward+" does not answer; the gateway sends the webhook again later\n")

	behind.Listener = testenv.Must(net.Listen("tcp", port))(t)
	behind.Start()
	t.Cleanup(behind.Close)
	heard.await(t, "forwarded: "+forward+" answers 202 Accepted\n")
	mu.Lock()
	defer mu.Unlock()
	testenv.Check(t, len(bodies) == 1 && strings.Contains(bodies[0], id) && !strings.Contains(bodies[0], "\n"),
		"got %q", bodies)
	// The gateway notes an answer after it has heard it, which is after the listener has told of it.
	noError(t, testenv.Eventually(func() error {
		attempts := g.texts(t, `select coalesce(a.status_code::text, a.error) from webhook_attempt a
			join webhook_event e on e.id = a.event_id where e.url = $1 order by a.id`, "http://"+address+"/webhook")
		if len(attempts) < 2 || attempts[0] != "502" || attempts[len(attempts)-1] != "202" {
			return fmt.Errorf("the gateway heard %v", attempts)
		}
		return nil
	}))
}

// What no cashbox has signed is neither printed nor sent on.
func TestListenRefuses(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	behind := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("forwarded") }))
	t.Cleanup(behind.Close)
	address, heard := listener(t, g, freeAddr(), "-forward", behind.URL)
	answer := testenv.Must(client.Post("http://"+address+"/", "application/json", strings.NewReader(`{"type":"forged"}`)))(t)
	_ = answer.Body.Close()
	heard.await(t, "refused: the signature matches no cashbox of the sandbox\n")
	testenv.Check(t, answer.StatusCode == http.StatusBadRequest && !strings.Contains(heard.String(), "forged"),
		"%s: %s", answer.Status, heard)
}

// "gateway trigger" says what has happened, or in the gateway's words why not.
func TestTriggerCommand(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	run := func(args ...string) (string, int) {
		return program(t, append([]string{"trigger", "-data-dir", g.dir}, args...)...)
	}
	id := g.create(t, g.first(), nil).text("data.uuid")
	out, status := run("payment.failed", "-id", id)
	order := g.texts(t, "select order_id from payment where uuid::text = $1 and status = 'failed'", id)
	testenv.Check(t, status == 0 && len(order) == 1 && out == "payment.failed: "+id+", order "+order[0]+", is failed\n",
		"exit %d: %s, %v", status, out, order)
	out, status = run("payment.failed", "-id", id)
	wantExit(t, "again", out, status, 1, "gateway: ")
	for _, event := range []string{"payment.completed", "code_resend", "payin.completed"} {
		if out, status := run(event); status != 0 || !strings.Contains(out, ", order trigger-") {
			t.Errorf("%s: exit %d: %s", event, status, out)
		}
	}
	out, status = run("payment.eaten", "-id", "x")
	wantExit(t, "no such event", out, status, 2, "event must be payment.completed, ", "id must be a uuid")
}

// The health of a gateway is asked by its own program, as in a container that has no other.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	ops := strings.TrimPrefix(g.OpsURL, "http://")
	_, port, err := net.SplitHostPort(ops)
	noError(t, err)
	for _, address := range []string{ops, ":" + port, "0.0.0.0:" + port} {
		if out, errs, err := command(t, "", map[string]string{"GATEWAY_OPS_ADDR": address},
			"healthcheck"); err != nil || out+errs != "" {
			t.Errorf("%s: %s%s%v", address, out, errs, err)
		}
	}
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not ready: why", http.StatusServiceUnavailable)
	}))
	t.Cleanup(unready.Close)
	out, status := program(t, "healthcheck", "-ops-addr", unready.Listener.Addr().String())
	wantExit(t, "not ready", out, status, 1, "gateway: not ready: why\n")
}
