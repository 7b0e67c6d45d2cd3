package acceptance

import (
	"fmt"
	"testing"
	"time"

	"connectrpc.com/connect"

	"gateway.example/internal/testenv"
	sandboxv1 "gateway.example/rpc/gen/sandbox/v1"
	"gateway.example/rpc/gen/sandbox/v1/sandboxv1connect"
)

func (g *instance) advance(t *testing.T, by time.Duration) {
	t.Helper()
	_, err := sandboxv1connect.NewSandboxServiceClient(client, g.BaseURL).AdvanceClock(t.Context(),
		connect.NewRequest(&sandboxv1.AdvanceClockRequest{Seconds: int64(by / time.Second)}))
	noError(t, err)
}

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
	revokedEverywhere(t, a, b)
}

// revokedEverywhere: a second after a key was revoked no replica takes it any more.
func revokedEverywhere(t *testing.T, replicas ...*instance) {
	t.Helper()
	for _, g := range replicas {
		g.create(t, g.first(), nil)
	}
	replicas[0].exec(t, "update api_key set revoked_at = now() where key_id = $1", replicas[0].first().KeyID)
	for i, g := range replicas {
		testenv.Until(t, "the key is refused", func() bool { return g.readBy(t, g.first(), payments+"/1").status == 403 })
		g.post(t, g.first(), order(nil)).want(t, fmt.Sprintf("replica %d", i), 403, "code", "invalid_signature")
	}
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
