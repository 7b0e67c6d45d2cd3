package sandbox

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func loadKey(t testing.TB, dir string) Key {
	t.Helper()
	return testenv.Must(LoadKey(dir))(t)
}

// The same data directory gives the same secrets at every start, another directory others.
func TestKeyIsKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, again, other := loadKey(t, dir), loadKey(t, dir), loadKey(t, t.TempDir())
	testenv.Check(t, first.ExternalPaymentsSecret() == again.ExternalPaymentsSecret() &&
		first.token("operator") == again.token("operator"), "a second start has other secrets")
	testenv.Check(t, first.ExternalPaymentsSecret() != other.ExternalPaymentsSecret() &&
		first.fingerprint() != other.fingerprint(), "two sandboxes share secrets")
	info := testenv.Must(os.Stat(filepath.Join(dir, keyFile)))(t)
	testenv.Want(t, info.Mode().Perm(), 0o600, "mode")
	noKeyLeftBehind(t, dir)
}

func noKeyLeftBehind(t *testing.T, dir string) {
	t.Helper()
	files := testenv.Must(os.ReadDir(dir))(t)
	testenv.Want(t, len(files), 1, "files, a half-made key among them")
}

// Each purpose has a secret of its own: none may give away another.
func TestPurposesDiffer(t *testing.T) {
	t.Parallel()
	key := loadKey(t, t.TempDir())
	seen := map[string]bool{string(key.root): true}
	for _, secret := range []string{
		key.ExternalPaymentsSecret(), key.merchantSecret("a"), key.merchantSecret("b"), key.webhookSecret("a"), key.password("a"),
		key.token("a"), string(key.Bytes("vault")), string(key.Bytes("links")), key.fingerprint(),
	} {
		testenv.Check(t, !seen[secret] && len(secret) >= 16, "%q is used twice or too short", secret)
		seen[secret] = true
	}
	testenv.Check(t, strings.HasPrefix(key.webhookSecret("a"), "whsec_"),
		"a webhook secret must have the form merchants are given")
}

// Replicas that start together on a new directory must agree.
func TestKeyRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]Key, 20)
	noError(t, testenv.AtOnce(len(keys), func(i int) (err error) {
		keys[i], err = LoadKey(dir)
		return err
	})...)
	for _, key := range keys {
		testenv.Need(t, len(key.root) == keySize && bytes.Equal(key.root, keys[0].root), "two keys were made")
	}
	noKeyLeftBehind(t, dir)
}

// A damaged key must not quietly become another sandbox's.
func TestDamagedKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, keyFile), []byte("short"), 0o600))
	_, err := LoadKey(dir)
	testenv.Check(t, err != nil && !strings.Contains(err.Error(), "short") && strings.Contains(err.Error(), keyFile),
		"error %v", err)
	_, err = LoadKey(filepath.Join(dir, "missing"))
	testenv.Check(t, err != nil, "a directory that does not exist has a key")
}

var noError = testenv.NoError

// queue queues a delivery that is due in an hour.
func (s seeded) queue(t *testing.T) {
	t.Helper()
	s.Exec(t, `with d as (
			insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
			values (1, gen_random_uuid(), 'shop.example', now() + interval '1 hour', 0) returning merchant_id, host, due_at
		)
		insert into webhook_endpoint (merchant_id, host, due_at) select * from d`)
}

func (s seeded) dueIn(t *testing.T, table string) time.Duration {
	t.Helper()
	var at time.Time
	s.Get(t, &at, "select due_at from "+table)
	return time.Until(at)
}

// wantNear wants a time to be so far ahead.
func wantNear(t *testing.T, at time.Time, want time.Duration, what string) {
	t.Helper()
	ahead := time.Until(at)
	testenv.Check(t, near(ahead, want), "%s: %s ahead, want %s", what, ahead, want)
}

func near(got, want time.Duration) bool { return (got - want).Abs() < 20*time.Second }

// Advancing moves the clock and brings deliveries as much closer, since those keep real time.
// Endpoints are looked at again at once.
func TestAdvance(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	wantNear(t, c.Now(), 0, "a new clock")
	s.queue(t)
	now := testenv.Must(c.Advance(t.Context(), 1800))(t)
	wantNear(t, now, 30*time.Minute, "ahead")
	due := s.dueIn(t, "webhook_delivery")
	testenv.Check(t, near(due, 30*time.Minute), "the delivery is due in %s", due)
	due = s.dueIn(t, "webhook_endpoint")
	testenv.Check(t, due <= 0, "the endpoint is looked at in %s", due)
	// Steps add up, and none is a step too.
	for _, seconds := range []int64{0, 600} {
		now = testenv.Must(c.Advance(t.Context(), seconds))(t)
	}
	wantNear(t, now, 40*time.Minute, "ahead after three steps")
}

// Deliverers change deliveries in any order: who holds one is waited for by an advance that holds none.
func TestAdvanceBesideDeliverer(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	s.queue(t)
	s.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
		select merchant_id, gen_random_uuid(), host, due_at, 0 from webhook_delivery`)
	var events []string
	s.Get(t, &events, "select array_agg(event_id::text order by ctid) from webhook_delivery")
	const attempt = "update webhook_delivery set attempts = attempts + 1 where event_id = $1"
	deliverer := testenv.Must(pgx.ConnectConfig(t.Context(), s.Pool.Config().ConnConfig))(t)
	defer func() { _ = deliverer.Close(context.WithoutCancel(t.Context())) }()
	advanced := make(chan error, 1)
	noError(t, db.InTx(t.Context(), deliverer, func(tx pgx.Tx, _ *db.Queries) error {
		if _, err := tx.Exec(t.Context(), attempt, events[1]); err != nil {
			return err
		}
		go func() {
			_, err := c.Advance(t.Context(), 1800)
			advanced <- err
		}()
		testenv.Until(t, "an endpoint is woken", func() bool { return s.dueIn(t, "webhook_endpoint") <= 0 })
		_, err := tx.Exec(t.Context(), attempt, events[0])
		return err
	}))
	noError(t, <-advanced)
	var late int
	s.Get(t, &late, "select count(*) from webhook_delivery where due_at > now() + interval '31 minutes' or attempts <> 1")
	testenv.Want(t, late, 0, "deliveries not brought forward, or not attempted")
}

func TestAdvanceRefused(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	for _, seconds := range []int64{-1, -1 << 63, 1<<63 - 1, 3_153_600_001} {
		_, err := c.Advance(t.Context(), seconds)
		f := fault.As(err)
		testenv.Check(t, f != nil && f.Kind == fault.Invalid && f.Fields["seconds"] != nil, "%d seconds: %v", seconds, err)
	}
	wantNear(t, c.Now(), 0, "a refused step moved the clock")
}

// Replicas follow, and a start finds the clock where it was left. Advance answers once the replicas had time to notice.
func TestFollow(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	replica := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	ctx, stop := context.WithCancel(t.Context())
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		replica.Follow(ctx)
	}()
	testenv.Must(c.Advance(t.Context(), 86_400))(t)
	testenv.Until(t, "the replica is a day ahead", func() bool { return near(time.Until(replica.Now()), 24*time.Hour) })
	stop()
	<-followed
	later := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	wantNear(t, later.Now(), 24*time.Hour, "after a start the clock")
}

// However often it is advanced, the clock never gets further than its offset can be counted.
func TestAdvanceHasAnEnd(t *testing.T) {
	s := seed(t)
	c := testenv.Must(NewClock(t.Context(), s.Pool))(t)
	const century = 100 * 365 * 24 * 3600
	testenv.Must(c.Advance(t.Context(), century))(t)
	_, err := c.Advance(t.Context(), 1)
	testenv.Check(t, fault.As(err) != nil && fault.As(err).Fields.Wrong("seconds"), "a second more than a century: %v", err)
	testenv.Want(t, c.Ahead(), century*time.Second, "ahead")
}
