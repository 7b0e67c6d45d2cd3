package acceptance

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/auth"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/pgserver"
	"gateway.example/internal/sandbox"
	"gateway.example/internal/testenv"
)

// Two replicas on one database share the test clock, the payments, the keys and
// the links.
func TestReplicas(t *testing.T) {
	t.Parallel()
	a := freshSandbox(t)
	b := setup{dir: copyKey(t, a.dir), database: a.DatabaseURL}.start(t)
	// The first delivery fails; its repeat is due after 5 s, which the
	// clock then passes.
	s := newShop(t, a.first().WebhookSecret, 500)
	orderID := newOrder()
	created := a.create(t, a.first(), object{"orderId": orderID, "callbackUri": s.URL})
	id := created.text("data.id")
	b.read(t, id).must(t, "on the other replica", 200, "data.status", "pending")
	b.create(t, b.first(), object{"orderId": orderID, "callbackUri": s.URL}).
		want(t, "repeated on the other replica", 200, "data.id", id)

	b.advance(t, 14*time.Minute)
	a.read(t, id).want(t, "a minute before its end", 200, "data.status", "pending")
	b.advance(t, time.Minute+time.Second)
	for name, g := range map[string]*instance{"asked": b, "other": a} {
		g.read(t, id).want(t, name, 200, "data.status", "failed", "data.statusReason", "expired")
	}
	testenv.Until(t, "the webhook has come", func() bool {
		a.advance(t, 6*time.Second)
		return len(s.events(orderID)) != 0
	})
	const expired = `data.status "FAILED"; meta.reason "expired"; meta.previousStatus "PENDING"`
	testenv.Want(t, s.await(t, orderID).lacking(expired), "", "the webhook")
	testenv.Want(t, a.value(t, moved+" t.subject_id = "+id+" group by a.owner_kind, a.purpose order by 1"),
		"trader available 0.00000000, trader reserved 0.00000000", "moved")

	// What is new on one replica is of the moved time, to the other as
	// well.
	at := createdAt(t, a)
	testenv.Check(t, time.Until(at) >= 14*time.Minute, "created at %s", at)
}

// A stranger's data directory must not open a sandbox's database.
func TestOtherSandboxKey(t *testing.T) {
	t.Parallel()
	err := setup{database: seededDatabase(t)}.prepare(t).tryStart()
	testenv.Check(t, err != nil, "it started")
}

// A start finds clock, payments and secrets as they were left. What requisites
// have counted on days long over is forgotten by the work in the background.
func TestRestart(t *testing.T) {
	t.Parallel()
	plan := fresh(t)
	altered(t, plan.database, `insert into requisite_day (requisite_id, day, count, sum)
		select id, current_date - age, 1, 1 from (select id from requisite order by id limit 1) r, (values (9), (400)) as ages (age)`)
	first := plan.start(t)
	created := first.create(t, first.first(), nil)
	testenv.Until(t, "old days are forgotten", func() bool {
		return first.count(t, "select count(*) from requisite_day where day < current_date - 7") == 0
	})
	first.advance(t, 10*time.Minute)
	noError(t, first.stop())
	again := plan.start(t)
	testenv.Check(t, again.first().Secret == first.first().Secret &&
		again.ExternalPaymentsSecret == first.ExternalPaymentsSecret, "the secrets are others")
	again.read(t, created.text("data.id")).want(t, "after the start", 200, "data.status", "pending")
	at := createdAt(t, again)
	testenv.Check(t, time.Until(at) >= 9*time.Minute, "the clock says %s", at)
}

// The portals' lists come from the read replica: what it has not replayed is
// missing in them, but not for who has just sent a form, and not in calls of
// the API. When the replica stops, they come from the primary.
func TestReadReplica(t *testing.T) {
	testenv.Long(t, "makes a standby")
	t.Parallel()
	database := dbtest.URL(t)
	address, server := dbtest.Standby(t, database)
	g := setup{
		dir: copyKey(t, sharedSandbox(t).dir), database: database, flags: []string{"-database-read-url", address},
	}.start(t)
	used := func(want float64) {
		t.Helper()
		testenv.Until(t, fmt.Sprint("gateway_read_replica_used is ", want), func() bool {
			got, err := g.metric("gateway_read_replica_used")
			return err == nil && got == want
		})
	}
	used(1)
	standby := testenv.Must(pgxpool.New(t.Context(), address))(t)
	defer standby.Close()
	changed := g.enter(t, "merchant")
	looking := slices.DeleteFunc(slices.Clone(changed), func(c *http.Cookie) bool { return c.Name == "changed" })
	testenv.Need(t, len(looking) == len(changed)-1, "a form leaves no mark: %v", changed)
	testenv.Must(standby.Exec(t.Context(), "select pg_wal_replay_pause()"))(t)
	id := g.create(t, g.first(), nil).text("data.id")
	shows := func(cookies []*http.Cookie) bool {
		return strings.Contains(visited(t, g.PortalURL+"/merchant/payments", cookies), "/merchant/payments/"+id+`"`)
	}
	testenv.Check(t, !shows(looking), "the list is not read from the replica")
	testenv.Check(t, shows(changed), "who has sent a form does not see what is there")
	details := visited(t, g.PortalURL+"/merchant/payments/"+id, looking)
	testenv.Check(t, strings.Contains(details, id), "the details of a payment are not fresh")
	g.read(t, id).want(t, "a call", http.StatusOK)
	testenv.Must(standby.Exec(t.Context(), "select pg_wal_replay_resume()"))(t)
	testenv.Until(t, "the standby has caught up", func() bool { return shows(looking) })
	noError(t, server.Stop(t.Context()))
	used(0)
	testenv.Check(t, shows(looking), "without its replica the list is empty")
	g.stderr.await(t, "lists are read from the replica", "lists are read from the primary")
}

// mortal is a PostgreSQL that a test may kill while a gateway that was given it
// goes on.
type mortal struct {
	*pgserver.Server
	options pgserver.Options
	dir     string
	url     string
}

func newMortal(t *testing.T, options pgserver.Options) *mortal {
	t.Helper()
	dir := testenv.Must(os.MkdirTemp("", "gateway-mortal-"))(t)
	noError(t, os.Chmod(dir, 0o711))
	options.Dir = dir
	m := &mortal{dir: dir, options: options}
	m.start(t)
	t.Cleanup(func() {
		_ = m.Stop(context.Background())
		_ = os.RemoveAll(dir)
	})
	m.url = m.URL("postgres")
	return m
}

func (m *mortal) start(t *testing.T) {
	t.Helper()
	m.Server = testenv.Must(pgserver.Start(t.Context(), m.options))(t)
}

// kill ends the server as kill -9 does, and returns once it is gone.
func (m *mortal) kill(t *testing.T) {
	t.Helper()
	files := testenv.Must(filepath.Glob(filepath.Join(m.dir, "pg*", "postmaster.pid")))(t)
	content := testenv.Must(os.ReadFile(files[0]))(t)
	first, _, _ := strings.Cut(string(content), "\n")
	pid := testenv.Must(strconv.Atoi(first))(t)
	noError(t, syscall.Kill(pid, syscall.SIGKILL))
	<-m.Done()
}

// A PostgreSQL that is killed is a matter of coming back for every caller,
// whatever they ask for: no answer is one of the gateway's own faults. Once it
// is there again, so is the gateway.
func TestDatabaseIsKilled(t *testing.T) {
	testenv.Long(t, "kills a database that syncs")
	t.Parallel()
	m := newMortal(t, pgserver.Options{}) // it syncs: what it has answered outlives it
	g := setup{database: m.url}.start(t)
	created := g.create(t, g.first(), nil)
	page, id, about := created.text("data.paymentPageUrl"), created.text("data.id"), order(nil)
	keepSecret(path.Base(page))
	calls := map[string]func() (answer, error){
		"a creation": func() (answer, error) {
			return trySend(http.MethodPost, g.BaseURL+payments, about, signed(g.first(), about))
		},
		"a read": func() (answer, error) {
			return trySend(http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.first(), ""))
		},
		"Connect": func() (answer, error) {
			body := `{"paymentId":"` + id + `"}`
			return trySend(http.MethodPost, g.BaseURL+"/gateway.v1.PaymentService/GetPayment", body, signed(g.first(), body))
		},
		"a page": func() (answer, error) { return trySend(http.MethodGet, page, "", nil) },
	}
	asked := func(name string) int {
		t.Helper()
		got := testenv.Must(calls[name]())(t)
		testenv.Need(t, got.status == 200 || got.status == 503 && (got.header.Get("Retry-After") == "1" ||
			strings.Contains(got.raw, "outcome_unknown")), "%s: %s", name, got)
		testenv.Check(t, name != "a page" || got.status == 200 || strings.Contains(got.raw, "Something went wrong"), "no words: %s", got)
		return got.status
	}
	for range 2 {
		for name := range calls {
			testenv.Until(t, name+" is answered", func() bool { return asked(name) == 200 })
		}
		m.kill(t)
		for name := range calls {
			testenv.Until(t, name+" is refused", func() bool { return asked(name) == 503 }) // its last processes end by themselves
		}
		testenv.Until(t, "it is not ready", func() bool { return ready(g.OpsURL) != nil })
		m.start(t)
	}
}

// A COMMIT that waits for a standby which is away is not cut short when its
// caller has been told that the outcome is unknown: nobody sees it, and a call
// that comes again is not acknowledged, until it is on the standby.
func TestCommitWaitsForItsStandby(t *testing.T) {
	testenv.Long(t, "waits for a commit that nobody confirms")
	t.Parallel()
	m := newMortal(t, pgserver.Options{})
	v := setup{database: m.url, fixed: true}.start(t)
	pool := testenv.Must(pgxpool.New(t.Context(), m.url))(t)
	defer pool.Close()
	standby := func(setting string) {
		t.Helper()
		for _, sql := range []string{"alter system " + setting, "select pg_reload_conf()"} {
			testenv.Must(pool.Exec(t.Context(), sql))(t)
		}
	}
	id := v.create(t, v.first(), nil).text("data.id")
	standby("set synchronous_standby_names = 'nobody'")
	testenv.Until(t, "a commit waits", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := pool.Exec(ctx, "select pg_logical_emit_message(true, 'probe', '')")
		return err != nil
	})
	stands := func() string {
		t.Helper()
		return v.texts(t, "select status from payment where id = $1::text::bigint", id)[0]
	}
	complete := func() answer { return v.callback(t, id, `{"status":"completed"}`) }
	complete().want(t, "without a standby", http.StatusServiceUnavailable, "code", "outcome_unknown")
	time.Sleep(4 * time.Second)
	testenv.Want(t, stands(), "pending", "what is on no standby is seen as")
	complete().want(t, "again, without a standby", http.StatusServiceUnavailable)
	standby("reset synchronous_standby_names")
	testenv.Until(t, "the commit is acknowledged", func() bool { return complete().status == http.StatusOK })
	testenv.Want(t, stands(), "completed", "in the end")
}

// production are the variables a production gateway needs besides its database.
func production() map[string]string {
	key := base64.StdEncoding.EncodeToString([]byte("a key of exactly 32 bytes, no mo"))
	return map[string]string{
		"GATEWAY_VAULT_KEYS":  key,
		"GATEWAY_LINK_KEYS":   key,
		"GATEWAY_BASE_URL":    "https://api.example",
		"GATEWAY_PAY_URL":     "https://pay.example",
		"GATEWAY_PORTAL_URL":  "https://portal.example",
		"GATEWAY_DRAIN_DELAY": "0s",
		"GATEWAY_FOUR_EYES":   "off",
	}
}

// live is a production gateway with one merchant in its database.
func live(t *testing.T, more map[string]string) *instance {
	t.Helper()
	g := empty(t, more)
	box := sandbox.Cashbox{KeyID: "live", Secret: "a secret of the live merchant's"}
	g.Cashboxes, g.ExternalPaymentsSecret = []sandbox.Cashbox{box}, more["GATEWAY_EXTERNAL_PAYMENTS_SECRET"]
	keepSecret(box.Secret, g.ExternalPaymentsSecret)
	g.exec(t, `with m as (insert into merchant (name, created_at) values ('Shop', now()) returning id),
		c as (insert into cashbox (merchant_id, name, currency, webhook_secret, created_at) select id, 'Shop', 'RUB', '', now() from m returning id),
		x as (insert into cashbox_method (cashbox_id, method, validity_seconds) select id, 'sbp', 900 from c)
		insert into api_key (key_id, secret_hash, name, merchant_id, cashbox_id, scopes, created_at)
		select $1, $2, 'live', m.id, c.id, '{payments}', now() from m, c`, box.KeyID, auth.HashSecret(box.Secret))
	return g
}

// empty is a production gateway on a database of its own, in which nobody is.
func empty(t *testing.T, more map[string]string) *instance {
	t.Helper()
	// Users call faster than people do.
	database := altered(t, dbtest.URL(t), "update rate_limit set calls = calls * 100 where name = 'user'")
	return setup{live: true, database: database, variables: more}.start(t)
}

// Of a production gateway outsiders learn what they are to, and its settings
// warn of nothing.
func TestProduction(t *testing.T) {
	t.Parallel()
	g := live(t, map[string]string{"GATEWAY_EXTERNAL_PAYMENTS_SECRET": "the application's own long secret"})
	g.runs(t, steps, "production")
	noError(t, g.stop())
	for line := range strings.Lines(g.stderr.String()) { // a machine that stands still for seconds is no fault of the settings
		testenv.Check(t, !strings.Contains(line, `"WARN"`) || strings.Contains(line, "has gone silent") || strings.Contains(line, "clock"),
			"warned: %s", line)
	}
}

// A replica that freezes in the middle of its work, with something locked, is
// not felt by those who call another once the database has ended its
// transactions, which it does by itself: creations, reads and readiness are
// answered as ever.
func TestFrozenReplica(t *testing.T) {
	testenv.Long(t, "loads two gateways, and waits until a database ends what a frozen one has open")
	t.Parallel()
	v := restartable(t)
	s := newShop(t, v.first().WebhookSecret)
	frozen := setup{dir: copyKey(t, v.dir), database: v.DatabaseURL}.start(t)
	a := newAcknowledged()
	stop := make(chan struct{})
	var loading sync.WaitGroup
	for range 6 {
		loading.Go(func() { frozen.load(t, a, s.URL, stop) })
	}
	testenv.Until(t, "both replicas have work", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.ids) >= 60
	})
	signal := func(s syscall.Signal) { noError(t, frozen.cmd.Process.Signal(s)) }
	// What the other one does by itself is over sooner.
	open := func() int {
		return v.count(t, `select count(*) from pg_stat_activity where datname = current_database()
			and xact_start < clock_timestamp() - interval '500 ms'`)
	}
	testenv.Until(t, "it freezes with a transaction open", func() bool {
		signal(syscall.SIGSTOP)
		time.Sleep(600 * time.Millisecond)
		if open() > 0 {
			return true
		}
		signal(syscall.SIGCONT)
		return false
	})
	testenv.Until(t, "the database ends it", func() bool { return open() == 0 })
	var calling sync.WaitGroup
	for client := range 4 {
		calling.Go(func() {
			for n := range 50 {
				amount := fmt.Sprintf("%d.%02d", 2000+client, n)
				id := v.create(t, v.first(), object{"callbackUri": s.URL, "amount": amount}).text("data.id")
				v.read(t, id).want(t, "beside a frozen replica", http.StatusOK)
				err := ready(v.OpsURL)
				testenv.Check(t, err == nil, "beside a frozen replica: %v", err)
			}
		})
	}
	calling.Wait()
	close(stop)
	signal(syscall.SIGCONT)
	frozen.kill()
	loading.Wait()
	v.wantAudit(t)
}
