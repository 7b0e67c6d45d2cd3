package acceptance

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gateway.example/internal/testenv"
)

// What sign prints, sent with the body, is let in: by a sandbox's own key, and
// by one that is given. What else the commands say, the scripts of cmd/gateway
// say.
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
		testenv.Want(t, len(headers), 3, "headers")
		send(t, http.MethodPost, g.BaseURL+payments, body, headers).want(t, name, http.StatusOK)
	}
}

// exits runs the program itself to its end, wants its exit status, and its
// output to have all of these words.
func exits(t *testing.T, want int, words []string, args ...string) string {
	t.Helper()
	out, errs, err := command(t, "", nil, args...)
	var failed failure
	testenv.Need(t, err == nil || errors.As(err, &failed), "%v", err)
	output := out + errs
	for _, word := range words {
		testenv.Check(t, strings.Contains(output, word), "%q: not told of %q: %s", args, word, output)
	}
	testenv.Want(t, failed.status, want, "%q exits, with %s", args, output)
	return output
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
		<-p.ended
		testenv.Check(t, p.err == nil, "%v", p.err)
	})
	heard.await(t, "waiting for webhooks on http://"+address)
	return address, heard
}

// A webhook goes on to a program of the developer's as it came, byte by byte,
// and what that answers is what the gateway hears. While it is away, the
// gateway sends the webhook again.
func TestListenForwards(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	var mu sync.Mutex
	var bodies []string
	behind := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		verifier, _ := standardwebhooks.NewWebhook(g.first().WebhookSecret)
		err := verifier.Verify(body, r.Header)
		testenv.Check(t, err == nil && r.URL.String() == "/hook?a=1" && r.Header.Get("Content-Type") == "application/json",
			"%s %v: %v", r.URL, r.Header, err)
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
	// The gateway notes an answer after it has heard it, which is after the
	// listener has told of it.
	noError(t, testenv.Eventually(func() error {
		attempts := g.texts(t, `select coalesce(a.status_code::text, a.error) from webhook_attempt a
			join webhook_event e on e.id = a.event_id where e.url = $1 order by a.id`, "http://"+address+"/webhook")
		if len(attempts) < 2 || attempts[0] != "502" || attempts[len(attempts)-1] != "202" {
			return fmt.Errorf("the gateway heard %v", attempts)
		}
		return nil
	}))
}

// The webhooks of a merchant whose only key is a legacy one are verified as
// well.
func TestListenKnowsLegacy(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	address, heard := listener(t, g, freeAddr())
	made := g.create(t, g.box(t, "sandbox-legacy"), object{"callbackUri": "http://" + address + "/webhook"})
	g.does(t, `nobody | POST /api/v1/sandbox/trigger | {"event":"payment.completed","id":"`+made.text("data.uuid")+`"} | 200`)
	heard.await(t, "verified for sandbox-legacy: payment.status.updated\n")
}

// What no cashbox has signed is neither printed nor sent on.
func TestListenRefuses(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	behind := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("forwarded") }))
	t.Cleanup(behind.Close)
	address, heard := listener(t, g, freeAddr(), "-forward", behind.URL)
	fetched(t, http.MethodPost, "http://"+address+"/", `{"type":"forged"}`, nil).want(t, "forged", http.StatusBadRequest)
	heard.await(t, "refused: the signature matches no cashbox of the sandbox\n")
	testenv.Check(t, !strings.Contains(heard.String(), "forged"), "%s", heard)
}

// "gateway trigger" says what has happened, or in the gateway's words why not.
func TestTriggerCommand(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	trigger := func(want int, words []string, args ...string) string {
		t.Helper()
		return exits(t, want, words, append([]string{"trigger", "-data-dir", g.dir}, args...)...)
	}
	id := g.create(t, g.first(), nil).text("data.uuid")
	out := trigger(0, nil, "payment.failed", "-id", id)
	order := g.value(t, "select order_id from payment where uuid::text = '"+id+"' and status = 'failed'")
	testenv.Want(t, out, "payment.failed: "+id+", order "+order+", is failed\n", "it says")
	trigger(1, []string{"gateway: "}, "payment.failed", "-id", id)
	for _, event := range []string{"payment.completed", "code_resend", "payin.completed"} {
		trigger(0, []string{", order trigger-"}, event)
	}
	trigger(2, []string{"event must be payment.completed, ", "id must be a uuid"}, "payment.eaten", "-id", "x")
}

// The health of a gateway is asked by its own program, as in a container that
// has no other.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	ops := strings.TrimPrefix(g.OpsURL, "http://")
	_, port, err := net.SplitHostPort(ops)
	noError(t, err)
	for _, address := range []string{ops, ":" + port, "0.0.0.0:" + port} {
		out, errs, err := command(t, "", map[string]string{"GATEWAY_OPS_ADDR": address}, "healthcheck")
		testenv.Check(t, err == nil && out+errs == "", "%s: %s%s%v", address, out, errs, err)
	}
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not ready: why", http.StatusServiceUnavailable)
	}))
	t.Cleanup(unready.Close)
	exits(t, 1, []string{"gateway: not ready: why\n"}, "healthcheck", "-ops-addr", unready.Listener.Addr().String())
}

var curlOnPage = regexp.MustCompile(`(?s)<pre[^>]* id="curl"[^>]*>(.*?)</pre>`)

// What a payment's page offers to be copied reads that payment, once key and
// secret are filled in.
func TestCurlOnPage(t *testing.T) {
	t.Parallel()
	needs(t, "there is nothing to paste into", "sh", "curl", "openssl")
	g := sharedSandbox(t)
	box := g.first()
	created := g.create(t, box, object{"orderId": "it's $(id) \"`id`\" <b>; " + newOrder()})
	page := visited(t, g.PortalURL+"/merchant/payments/"+created.text("data.id"), g.enter(t, "merchant"))
	found := curlOnPage.FindStringSubmatch(page)
	testenv.Need(t, found != nil, "no command on the page: %s", page)
	command := html.UnescapeString(found[1])
	testenv.Check(t, !strings.Contains(command, box.Secret) && !strings.Contains(command, box.KeyID),
		"a key or secret is on the page: %s", command)
	filled := strings.NewReplacer("YOUR_KEY_ID", box.KeyID, "YOUR_SECRET", box.Secret).Replace(command)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", filled).Output()
	got := answer{body: decoded(string(out))}
	testenv.Check(t, err == nil && got.text("data.uuid") == created.text("data.uuid"), "%s\n%s%v", command, out, err)
}

// A signed timeline is proven by the command with the keys that either address
// publishes. What else the command says, the scripts of cmd/gateway say.
func TestVerifyTimeline(t *testing.T) {
	testenv.OneByOne(t)
	t.Parallel()
	g := sharedSandbox(t)
	created := g.create(t, g.first(), nil)
	timeline := visited(t, g.PortalURL+"/merchant/payments/"+created.text("data.id")+"/timeline.json", g.enter(t, "merchant"))
	path := filepath.Join(t.TempDir(), "timeline.json")
	noError(t, os.WriteFile(path, []byte(timeline), 0o600))
	const published = "/.well-known/gateway-keys.json"
	keys := fetched(t, http.MethodGet, g.BaseURL+published, "", nil).raw
	portals := fetched(t, http.MethodGet, g.PortalURL+published, "", nil).raw
	testenv.Check(t, portals == keys && strings.Contains(keys, `"Ed25519"`),
		"the API publishes %s, the portal %s", keys, portals)
	for _, address := range []string{g.BaseURL, g.PortalURL} {
		exits(t, 0, []string{"valid: "}, "verify-timeline", path, "-keys", address+published)
	}
}

// What is printed works when pasted as it is, also again, and what it starts
// ends with a verified webhook. The program names itself as it was run.
func TestWelcome(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	shell, err := exec.LookPath("bash")
	if _, curlErr := exec.LookPath("curl"); err != nil || curlErr != nil {
		t.Skip("there is no shell or curl to paste into")
	}
	const hook = "127.0.0.1:8099" // where the printed payment's webhook goes
	if probe, err := net.Listen("tcp", hook); errors.Is(err, syscall.EADDRINUSE) {
		t.Skipf("%s, where the printed payment's webhook goes, is in use", hook)
	} else if err == nil {
		_ = probe.Close()
	}
	_, heard := listener(t, g, hook)
	last := "\n" + executable + " listen -data-dir " + g.dir + "\n"
	g.stdout.await(t, last)
	_, script, _ := strings.Cut(g.stdout.String(), "\n\nCreate a payment:\n")
	script, rest, _ := strings.Cut(script,
		"\nSay that the money of this payment has arrived, as a bank connection does:\n")
	completed, _, _ := strings.Cut(rest, "\nThe webhook goes to ")
	paste := script + script + completed
	cmd := exec.CommandContext(t.Context(), shell, "-c", paste)
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	testenv.Need(t, err == nil && strings.Count(string(out), `"message":"Payment created"`) == 2 &&
		strings.Contains(string(out), `"message":"Payment status updated"`), "%s\n%s%v", paste, out, err)
	made := regexp.MustCompile(`"orderId":"(first-[a-z2-7]{8})"`).FindStringSubmatch(string(out))
	testenv.Need(t, made != nil, "no order: %s", out)
	n := g.count(t, "select count(*) from payment where order_id = $1 and status = 'completed'", made[1])
	testenv.Want(t, n, 1, "payments of the order %s", made[1])
	heard.await(t, "verified for "+g.first().KeyID+": payment.status.updated\n{\n  \"type\": ", `"status": "COMPLETED"`)
}

func number(id string) int64 {
	var n int64
	_, _ = fmt.Sscan(id, &n)
	return n
}
