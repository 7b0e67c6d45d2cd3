package acceptance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
	"github.com/jackc/pgx/v5"
)

// keepCalling calls on a connection that it keeps until it is told to drop it, and answers with what went wrong on the
// way. It would then turn to another replica. Once leaving is seen, the next answer has to tell it.
func keepCalling(g *instance, served *atomic.Int64, leaving *atomic.Bool, post bool) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	keeper := &http.Client{Transport: transport, Timeout: testenv.Patience}
	for {
		method, body := http.MethodGet, ""
		if post {
			method, body = http.MethodPost, order(nil)
		}
		request, err := http.NewRequest(method, g.BaseURL+payments, strings.NewReader(body))
		if err != nil {
			return err
		}
		if !post {
			request.URL.RawQuery = "orderId=none"
		}
		for name, value := range signed(g.first(), body) {
			request.Header.Set(name, value)
		}
		if post {
			request.Header.Set("Content-Type", "application/json")
		}
		last := leaving.Load()
		response, err := keeper.Do(request)
		if err != nil {
			return err
		}
		content, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != 200 && response.StatusCode != 503 {
			return fmt.Errorf("%d %s %w", response.StatusCode, content, err)
		}
		served.Add(1)
		if response.Close {
			return nil
		}
		if last {
			return errors.New("the gateway leaves, and an answer does not say so")
		}
	}
}

// Clients who keep their connections under load notice nothing of a SIGTERM but that they are told to open new ones: no
// answer is lost and none is an error. New connections are taken until the delay is over: the program's own log says
// when that is, since a starved machine may need longer for a call.
func TestSIGTERMUnderLoad(t *testing.T) {
	t.Parallel()
	v := restartable(t, "-drain-delay", "2s")
	var served atomic.Int64
	var leaving atomic.Bool
	var calling sync.WaitGroup
	for n := range 8 {
		calling.Go(func() {
			if err := keepCalling(v, &served, &leaving, n%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	testenv.Until(t, "two hundred calls were served", func() bool { return served.Load() >= 200 })
	v.cancel()
	testenv.Until(t, "it is not ready any more", func() bool { return ready(v.OpsURL) != nil })
	leaving.Store(true)
	newcomer, err := trySend(http.MethodGet, v.BaseURL+payments+"?orderId=none", "", signed(v.first(), ""))
	over := strings.Contains(v.stderr.String(), `"msg":"stopping"`)
	testenv.Check(t, err == nil && newcomer.status == 200 || over, "a newcomer within the delay: %s %v", newcomer, err)
	calling.Wait()
	if <-v.ended; v.err != nil {
		t.Errorf("it ended with %v\n%s", v.err, v.stderr.String())
	}
	var at [2]time.Time
	for line := range strings.Lines(v.stderr.String()) {
		var said struct {
			Time time.Time
			Msg  string
		}
		noError(t, json.Unmarshal([]byte(line), &said))
		if strings.HasPrefix(said.Msg, "no longer ready") {
			at[0] = said.Time
		} else if said.Msg == "stopping" {
			at[1] = said.Time
		}
	}
	if delay := at[1].Sub(at[0]); at[0].IsZero() || delay < 2*time.Second {
		t.Errorf("it stopped %s after it had said that it would\n%s", delay, v.stderr.String())
	}
}

// A gateway that is told to stop answers the requests that are under way, and what those did is kept. However long they take, it
// begins no delivery any more, and brings to its end what is on the way. The rest is delivered after the next start, and nothing
// twice.
func TestStopBeginsNoDelivery(t *testing.T) {
	t.Parallel()
	v := restartable(t)
	const events = 40 // more than an endpoint is sent at once
	var mu sync.Mutex
	seen := map[string]int{}
	count := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
	stopped := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("webhook-id")]++
		mu.Unlock()
		<-stopped
	}))
	defer receiver.Close()
	ids := make([]string, events)
	for i := range ids { // all before the first delivery, which is given up after 15 seconds
		ids[i] = v.create(t, v.first(), object{"callbackUri": receiver.URL}).text("data.id")
	}
	for _, id := range ids {
		v.callback(t, id, `{"status":"failed"}`)
	}
	// A request that is on its way for long keeps the program from ending. It is known to have begun once
	// the program asks for its body: a connection that nobody has accepted yet would be reset.
	orderID := newOrder()
	body := order(object{"orderId": orderID, "callbackUri": receiver.URL})
	headers := with(signed(v.first(), body), "Content-Type", "application/json")
	slow := v.begun(t, payments, with(headers, "Expect", "100-continue"), len(body), "")
	asked := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	testenv.Must(io.ReadFull(slow, asked))(t)
	testenv.Need(t, string(asked) == "HTTP/1.1 100 Continue\r\n\r\n", "the body is not asked for: %q", asked)
	testenv.Until(t, "a delivery has begun", func() bool { return count() != 0 })
	v.cancel()
	v.stderr.await(t, `"msg":"stopping"`)
	before := count()
	close(stopped)
	time.Sleep(3 * time.Second)
	if after := count(); after != before || before == events {
		t.Errorf("of %d deliveries %d had begun before the stop, and %d after it", events, before, after-before)
	}
	testenv.Must(io.WriteString(slow, body))(t)
	made := answerOn(t, slow).must(t, "the answer", 200, "data.orderId", orderID)
	keepSecret(path.Base(made.text("data.paymentPageUrl")))
	if <-v.ended; v.err != nil {
		t.Errorf("it ended with %v\n%s", v.err, v.stderr.String())
	}
	v.start(t)
	send(t, "GET", v.BaseURL+payments+"/"+made.text("data.id"), "", signed(v.first(), "")).want(t, "what was answered is kept", 200)
	testenv.Until(t, "all events have come", func() bool { return count() >= events })
	mu.Lock()
	defer mu.Unlock()
	for id, times := range seen {
		testenv.Check(t, times == 1, "%s came %d times", id, times)
	}
}

// A gateway whose start takes long refuses connections, so that proxies go on to another one. Those who watch
// it see that it is not ready.
func TestStartRefusesConnections(t *testing.T) {
	t.Parallel()
	plan := fresh(t)
	conn := testenv.Must(pgx.Connect(t.Context(), plan.database))(t)
	tx := testenv.Must(conn.Begin(t.Context()))(t)
	// Another process changes the schema.
	testenv.Must(tx.Exec(t.Context(), "lock table goose_db_version in access exclusive mode"))(t)
	plan.fixed = true
	v := plan.prepare(t)
	at := v.Info // what is known before the start, during which it is read anew
	started := make(chan struct{})
	go func() {
		defer close(started)
		v.start(t)
	}()
	readyIs := func(want string) func() error {
		return func() error {
			got, err := trySend(http.MethodGet, at.OpsURL+"/metrics", "", nil)
			if err != nil || !strings.Contains(got.raw, "\ngateway_ready "+want+"\n") {
				return fmt.Errorf("%d %w", got.status, err)
			}
			return nil
		}
	}
	noError(t, testenv.Eventually(readyIs("0")))
	for _, address := range []string{at.BaseURL, at.PayURL, at.PortalURL} {
		_, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		testenv.Check(t, errors.Is(err, syscall.ECONNREFUSED), "%s, while it starts: %v", address, err)
	}
	noError(t, tx.Rollback(t.Context()))
	noError(t, conn.Close(t.Context()))
	<-started
	noError(t, readyIs("1")())
	v.create(t, v.first(), nil)
}
