package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// Two replicas on one database share the test clock, the payments, the keys and the links.
func TestReplicas(t *testing.T) {
	t.Parallel()
	a := freshSandbox(t)
	b := setup{dir: copyKey(t, a.dir), database: a.DatabaseURL}.start(t)
	// The first delivery fails; its repeat is due after 5 s, which the clock then passes.
	s := newShop(t, a.first().WebhookSecret, 500)
	orderID := newOrder()
	created := a.create(t, a.first(), object{"orderId": orderID, "callbackUri": s.URL})
	id := created.text("data.id")
	read := func(g *instance) answer { return send(t, "GET", g.BaseURL+payments+"/"+id, "", signed(g.first(), "")) }
	read(b).must(t, "on the other replica", 200, "data.status", "pending")
	again := b.create(t, b.first(), object{"orderId": orderID, "callbackUri": s.URL})
	testenv.Check(t, again.text("data.id") == id, "repeated on the other replica: %s", again)

	b.advance(t, 14*time.Minute)
	got := read(a)
	testenv.Check(t, got.text("data.status") == "pending", "a minute before its end: %s", got)
	b.advance(t, time.Minute+time.Second)
	for name, g := range map[string]*instance{"asked": b, "other": a} {
		if got := read(g); got.text("data.status") != "failed" || got.text("data.statusReason") != "expired" {
			t.Errorf("the %s replica: %s", name, got)
		}
	}
	testenv.Until(t, "the webhook has come", func() bool {
		a.advance(t, 6*time.Second)
		return len(s.events(orderID)) != 0
	})
	const expired = `data.status "FAILED"; meta.reason "expired"; meta.previousStatus "PENDING"`
	testenv.Want(t, s.await(t, orderID).lacking(expired), "", "the webhook")
	testenv.Want(t, a.value(t, moved+" t.subject_id = "+id+" group by a.owner_kind, a.purpose order by 1"),
		"trader available 0.00000000, trader reserved 0.00000000", "moved")

	// What is new on one replica is of the moved time, to the other as well.
	later := a.create(t, a.first(), nil)
	at, err := time.Parse(time.RFC3339Nano, later.text("data.createdAt"))
	testenv.Check(t, err == nil && time.Until(at) >= 14*time.Minute, "created at %s", at)
}

// A stranger's data directory must not open a sandbox's database.
func TestOtherSandboxKey(t *testing.T) {
	t.Parallel()
	if err := (setup{database: seededDatabase(t)}).prepare(t).tryStart(); err == nil {
		t.Error("it started")
	}
}

// A start finds clock, payments and secrets as they were left. What requisites have counted on days long over is
// forgotten by the work in the background.
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
	got := send(t, "GET", again.BaseURL+payments+"/"+created.text("data.id"), "", signed(again.first(), ""))
	got.want(t, "after the start", 200, "data.status", "pending")
	if at, err := time.Parse(time.RFC3339Nano,
		again.create(t, again.first(), nil).text("data.createdAt")); err != nil || time.Until(at) < 9*time.Minute {
		t.Errorf("the clock says %s", at)
	}
}

// The portals' lists come from the read replica: what it has not replayed is missing in them, but not for who
// has just sent a form, and not in calls of the API. When the replica stops, they come from the primary.
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
		noError(t, testenv.Eventually(func() error {
			if got, err := g.metric("gateway_read_replica_used"); err != nil || got != want {
				return fmt.Errorf("used is %v: %w", got, err)
			}
			return nil
		}))
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
		return strings.Contains(g.visit(t, "/merchant/payments", cookies), "/merchant/payments/"+id+`"`)
	}
	testenv.Check(t, !shows(looking), "the list is not read from the replica")
	testenv.Check(t, shows(changed), "who has sent a form does not see what is there")
	if page := g.visit(t, "/merchant/payments/"+id, looking); !strings.Contains(page, id) {
		t.Error("the details of a payment are not fresh")
	}
	send(t, http.MethodGet, g.BaseURL+payments+"/"+id, "", signed(g.first(), "")).want(t, "a call", http.StatusOK)
	testenv.Must(standby.Exec(t.Context(), "select pg_wal_replay_resume()"))(t)
	testenv.Until(t, "the standby has caught up", func() bool { return shows(looking) })
	noError(t, server.Stop(t.Context()))
	used(0)
	testenv.Check(t, shows(looking), "without its replica the list is empty")
	g.stderr.await(t, "lists are read from the replica", "lists are read from the primary")
}
