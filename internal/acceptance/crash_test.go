package acceptance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// acknowledged is what the gateway has told the load's clients, and what they
// asked without an answer.
type acknowledged struct {
	mu sync.Mutex
	// ids and open, creations without an answer, are by order id; statuses
	// and asked, those asked for, by payment id.
	ids, statuses, open, asked map[string]string
	failed                     []error
}

func newAcknowledged() *acknowledged {
	return &acknowledged{
		ids: map[string]string{}, statuses: map[string]string{}, open: map[string]string{}, asked: map[string]string{},
	}
}

func (a *acknowledged) do(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// load creates payments and moves them on until the gateway is gone.
func (v *instance) load(t *testing.T, a *acknowledged, hook string, killed <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-killed:
			return
		default:
		}
		orderID := newOrder()
		amount := fmt.Sprintf("%d.%02d", 100+n%900, rand.IntN(100))
		body := order(object{"orderId": orderID, "callbackUri": hook, "amount": amount})
		a.do(func() { a.open[orderID] = body })
		got, err := trySend(http.MethodPost, v.BaseURL+payments, body, signed(v.first(), body))
		if err != nil {
			continue // the gateway is gone; its answer stays unknown
		}
		if got.status != 200 {
			a.do(func() { a.failed = append(a.failed, fmt.Errorf("create: %s", got)) })
			return
		}
		id := got.text("data.id")
		a.do(func() { delete(a.open, orderID); a.ids[orderID], a.statuses[id] = id, "pending" })
		v.moveOn(t, a, id, n)
	}
}

// moveOn has a payment confirmed by its trader, or set by the application;
// every third stays pending.
func (v *instance) moveOn(t *testing.T, a *acknowledged, id string, n int) {
	status := []string{"completed", "failed", ""}[n%3]
	if status == "" {
		return
	}
	a.do(func() { a.asked[id] = status })
	var err error
	if status == "completed" {
		err = v.confirm(t, id)
	} else {
		body := `{"status":"failed"}`
		var got answer
		got, err = trySend(http.MethodPost, v.BaseURL+payments+"/"+id+"/callback", body, v.application(body))
		if err == nil && got.status != 200 {
			err = fmt.Errorf("callback: %s", got)
		}
	}
	if err == nil {
		a.do(func() { a.statuses[id] = status; delete(a.asked, id) })
	}
}

// confirm asks both traders of RUB requisites: the payment is one's, and none
// of the other's business.
func (v *instance) confirm(t *testing.T, id string) error {
	t.Helper()
	const call = "/portal.v1.TraderService/ConfirmReceived"
	for _, login := range []string{"trader-1", "trader-2"} {
		got, err := trySend(http.MethodPost, v.BaseURL+call, `{"paymentId":`+id+`}`, bearer(v.user(t, login).Token))
		if err != nil || got.status == http.StatusOK {
			return err
		}
		if why(got) != "not_found" {
			return fmt.Errorf("%s: %s", login, got)
		}
	}
	return fmt.Errorf("payment %s is no trader's", id)
}

// Killed in the middle of its work and started again, the gateway has kept what
// it said: every acknowledged payment and status, one payment a repeated order,
// a ledger that holds, and a webhook for every change.
func TestKilled(t *testing.T) {
	t.Parallel()
	v := restartable(t)
	s := newShop(t, v.first().WebhookSecret)
	s.delay = 500 * time.Millisecond // so that some deliveries are under way when the gateway is killed
	a := newAcknowledged()
	killed := make(chan struct{})
	var loading sync.WaitGroup
	for range 4 {
		loading.Go(func() { v.load(t, a, s.URL, killed) })
	}
	const underWay = "select count(*) from webhook_endpoint where leased_until > now() and holder is not null"
	// Killed under load, but not before there is something to lose.
	testenv.Until(t, "there is something to lose, and a delivery under way", func() bool {
		a.mu.Lock()
		enough := len(a.failed) > 0 || len(a.ids) >= testenv.Pick(t, 30, 100)
		a.mu.Unlock()
		return enough && v.count(t, underWay) > 0
	})
	v.kill()
	close(killed)
	loading.Wait()
	noError(t, errors.Join(a.failed...))

	v.pool = poolOf(t, v.DatabaseURL)
	testenv.Check(t, v.count(t, underWay) != 0, "no delivery was under way")
	if !testenv.Whole(t) { // the whole check waits for the leases of the killed process to end
		v.count(t,
			"with ended as (update webhook_endpoint set leased_until = now() returning 1) select count(*) from ended")
	}
	v.pool.Close()
	v.start(t)
	v.keptItsWord(t, a)
	v.repeatsOnce(t, a)
	v.deliversAll(t, s)
	v.wantAudit(t)
	t.Logf("%d payments acknowledged, %d creations and %d moves without an answer", len(a.ids), len(a.open),
		len(a.asked))
}

// keptItsWord reads every acknowledged payment: its status is the acknowledged
// one, or the one last asked for.
func (v *instance) keptItsWord(t *testing.T, a *acknowledged) {
	for orderID, id := range a.ids {
		got := v.read(t, id)
		status := got.text("data.status")
		testenv.Check(t, got.status == 200 && got.text("data.orderId") == orderID && (status == a.statuses[id] ||
			status == a.asked[id]), "%s: %s; acknowledged %s, asked for %q", orderID, got, a.statuses[id], a.asked[id])
	}
}

func (v *instance) repeatsOnce(t *testing.T, a *acknowledged) {
	for orderID, body := range a.open {
		first, second := v.post(t, v.first(), body), v.post(t, v.first(), body)
		testenv.Check(t, first.status == 200 && second.text("data.id") == first.text("data.id") &&
			second.header.Get("Idempotent-Replay") == "true", "%s: %s, then %s", orderID, first, second)
	}
	doubles := v.texts(t,
		"select order_id from payment group by merchant_id, method, order_id having count(*) > 1")
	testenv.Check(t, len(doubles) == 0, "two payments for %v", doubles)
}

// deliversAll waits for a webhook of every status change. Those that were under
// way are made again when their endpoints' leases have ended.
func (v *instance) deliversAll(t *testing.T, s *shop) {
	changes := v.count(t, "select count(*) from payment_history where from_status is not null")
	events := v.texts(t, "select id::text from webhook_event")
	testenv.Check(t, changes == len(events) && changes != 0, "%d events for %d status changes", len(events), changes)
	testenv.Until(t, fmt.Sprintf("%d webhooks have arrived", len(events)), func() bool {
		arrived := map[string]bool{}
		for _, l := range s.all() {
			arrived[l.text("eventId")] = true
		}
		return !slices.ContainsFunc(events, func(id string) bool { return !arrived[id] })
	})
}

// keepCalling calls on a connection that it keeps until it is told to drop it,
// and answers with what went wrong on the way. It would then turn to another
// replica. Once leaving is seen, the next answer has to tell it.
func keepCalling(g *instance, served *atomic.Int64, leaving *atomic.Bool, post bool) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	keeper := &http.Client{Transport: transport, Timeout: testenv.Patience}
	for {
		method, address, body := http.MethodGet, g.BaseURL+payments+"?orderId=none", ""
		if post {
			method, address, body = http.MethodPost, g.BaseURL+payments, order(nil)
		}
		request, err := http.NewRequest(method, address, strings.NewReader(body))
		if err != nil {
			return err
		}
		for name, value := range with(signed(g.first(), body), "Content-Type", "application/json") {
			request.Header.Set(name, value)
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

// Clients who keep their connections under load notice nothing of a SIGTERM but
// that they are told to open new ones: no answer is lost and none is an error.
// New connections are taken until the delay is over: the program's own log says
// when that is, since a starved machine may need longer for a call.
func TestSIGTERMUnderLoad(t *testing.T) {
	t.Parallel()
	v := restartable(t, "-drain-delay", "2s")
	var served atomic.Int64
	var leaving atomic.Bool
	var calling sync.WaitGroup
	for n := range 8 {
		calling.Go(func() {
			err := keepCalling(v, &served, &leaving, n%2 == 0)
			testenv.Check(t, err == nil, "%v", err)
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
	<-v.ended
	testenv.Check(t, v.err == nil, "it ended with %v\n%s", v.err, v.stderr)
	at := map[string]time.Time{}
	for line := range strings.Lines(v.stderr.String()) {
		var said struct {
			Time time.Time
			Msg  string
		}
		noError(t, json.Unmarshal([]byte(line), &said))
		begins, _, _ := strings.Cut(said.Msg, ";")
		at[begins] = said.Time
	}
	began, ended := at["no longer ready"], at["stopping"]
	testenv.Check(t, !began.IsZero() && ended.Sub(began) >= 2*time.Second,
		"it stopped %s after it had said that it would\n%s", ended.Sub(began), v.stderr)
}

// A gateway that is told to stop answers the requests that are under way, and
// what those did is kept. However long they take, it begins no delivery any
// more, and brings to its end what is on the way. The rest is delivered after
// the next start, and nothing twice.
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
	// A request that is on its way for long keeps the program from ending.
	// It is known to have begun once the program asks for its body: a
	// connection that nobody has accepted yet would be reset.
	orderID := newOrder()
	body := order(object{"orderId": orderID, "callbackUri": receiver.URL})
	headers := with(signed(v.first(), body), "Content-Type", "application/json")
	slow := v.begun(t, payments, with(headers, "Expect", "100-continue"), len(body), "")
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	asked := make([]byte, len(goOn))
	testenv.Must(io.ReadFull(slow, asked))(t)
	testenv.Need(t, string(asked) == goOn, "the body is not asked for: %q", asked)
	testenv.Until(t, "a delivery has begun", func() bool { return count() != 0 })
	v.cancel()
	v.stderr.await(t, `"msg":"stopping"`)
	before := count()
	close(stopped)
	time.Sleep(3 * time.Second)
	testenv.Check(t, count() == before && before != events,
		"of %d deliveries %d had begun before the stop, and %d came after it", events, before, count()-before)
	testenv.Must(io.WriteString(slow, body))(t)
	made := answerOn(t, slow).must(t, "the answer", 200, "data.orderId", orderID)
	keepSecret(path.Base(made.text("data.paymentPageUrl")))
	<-v.ended
	testenv.Check(t, v.err == nil, "it ended with %v\n%s", v.err, v.stderr)
	v.start(t)
	v.read(t, made.text("data.id")).want(t, "what was answered is kept", 200)
	testenv.Until(t, "all events have come", func() bool { return count() >= events })
	mu.Lock()
	defer mu.Unlock()
	for id, times := range seen {
		testenv.Check(t, times == 1, "%s came %d times", id, times)
	}
}

// A gateway whose start takes long refuses connections, so that proxies go on
// to another one. Those who watch it see that it is not ready.
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

// dialled is a bare connection to one of the program's ports.
func dialled(t *testing.T, address, sent string) net.Conn {
	t.Helper()
	conn := testenv.Must(net.DialTimeout("tcp", strings.TrimPrefix(address, "http://"), testenv.Patience))(t)
	t.Cleanup(func() { _ = conn.Close() })
	noError(t, conn.SetDeadline(time.Now().Add(testenv.Patience)))
	testenv.Must(io.WriteString(conn, sent))(t)
	return conn
}

// begun is a call that is begun by hand: of a body of that length so much is
// sent.
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

// A sender that hangs up in the middle of a body takes nothing along: its order
// id is still free.
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

// A form that is too large comes from a client that sends all before it reads:
// it gets its answer, not a reset. What a key may do is settled before anything
// of a body is read: that answer does not wait for a body that never comes.
func TestUploadsRefusedUnread(t *testing.T) {
	t.Parallel()
	g := sharedSandbox(t)
	path := strings.TrimPrefix(g.appealURL(g.failed(t)), g.BaseURL)
	good := appealHeaders(g.first(), "x", "a.pdf", len(pdf))
	noScope, off := g.uploader(t, 1), g.uploader(t, 2)
	g.exec(t, "update api_key set scopes = '{payouts}' where key_id = $1", noScope.KeyID)
	g.exec(t, "update merchant set api_enabled = false where name = $1", off.KeyID)
	refused := func(length, sent int, headers header, status int, code string) {
		t.Helper()
		answerOn(t, g.begun(t, path, headers, length, strings.Repeat("x", sent))).want(t, code, status, "code", code)
	}
	of := func(box sandbox.Cashbox) header { return appealHeaders(box, "x", "a.pdf", 1) }
	refused(uploadLimit+1, uploadLimit+1, good, 413, "body_too_large")
	refused(3*uploadLimit, 3*uploadLimit, good, 413, "body_too_large")
	refused(3*uploadLimit, 3*uploadLimit, with(good, "Signature", ""), 401, "signature_required")
	refused(uploadLimit, 0, with(good, "X-Merchant-Secret", "wrong"), 403, "invalid_signature")
	refused(uploadLimit, 0, of(g.box(t, "sandbox-without-merchant")), 403, "merchant_binding_required")
	refused(uploadLimit, 0, of(noScope), 403, "merchant_scope_required")
	refused(uploadLimit, 0, of(off), 403, "merchant_api_disabled")
}
