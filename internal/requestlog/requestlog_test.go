package requestlog_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/requestlog"
	"gateway.example/internal/testenv"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// bundle is the log over a database of its own, with two merchants.
type bundle struct {
	*dbtest.DB
	clock       *dbtest.Clock
	log         *requestlog.Log
	metrics     *prometheus.Registry
	shop, other dbtest.Merchant
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	b := &bundle{DB: dbtest.New(t), clock: &dbtest.Clock{}, metrics: prometheus.NewRegistry()}
	b.shop, b.other = b.NewMerchant(t, dbtest.MerchantOpts{}), b.NewMerchant(t, dbtest.MerchantOpts{})
	b.log = requestlog.New(b.Pool, b.clock, b.metrics)
	return b
}

// entry is a good request of the first merchant.
func (b *bundle) entry(id string) requestlog.Entry {
	return requestlog.Entry{
		MerchantID: b.shop.ID, KeyID: b.shop.KeyID, Method: "GET", Path: "/api/v1/payments/{payment_id}", Status: 200,
		RequestID: id, Took: 1500 * time.Microsecond,
	}
}

// rows are what is kept, in the order of ids, a line each.
func (b *bundle) rows(t *testing.T) string {
	t.Helper()
	return strings.Join(b.Texts(t, `select concat_ws(' ', merchant_id, method, path, status, code, key_id,
		request_id, duration_us) from api_request order by id`), "\n")
}

func (b *bundle) dropped(t *testing.T, reason string) float64 {
	t.Helper()
	return testenv.Metric(t, b.metrics, "gateway_request_log_dropped_total "+reason)
}

// A request is kept for its merchant, one that only names a key for that key's
// merchant, revoked or not, and one that names none for nobody.
func TestWhose(t *testing.T) {
	b := setup(t)
	b.Exec(t, "update api_key set revoked_at = now() where key_id = $1", b.other.KeyID)
	b.log.Add(b.entry("good"))
	for _, key := range []string{b.other.KeyID, "mk_0123456789abcdef01234567", ""} {
		refused := b.entry("refused")
		refused.MerchantID, refused.KeyID, refused.Bounded = 0, key, true
		refused.Status, refused.Code = 403, "invalid_signature"
		b.log.Add(refused)
	}
	testenv.NoError(t, b.log.Flush(t.Context()))
	testenv.NoError(t, b.log.Flush(t.Context())) // nothing is written twice
	want := fmt.Sprintf("%d GET /api/v1/payments/{payment_id} 200  %s good 1500\n"+
		"%d GET /api/v1/payments/{payment_id} 403 invalid_signature %s refused 1500",
		b.shop.ID, b.shop.KeyID, b.other.ID, b.other.KeyID)
	testenv.Want(t, b.rows(t), want, "kept")
}

// A method that HTTP does not know is a word of the caller's, and not kept.
func TestMethod(t *testing.T) {
	b := setup(t)
	e := b.entry("request-1")
	e.Method = "SECRET"
	b.log.Add(e)
	testenv.NoError(t, b.log.Flush(t.Context()))
	got := b.rows(t)
	testenv.Check(t, strings.Contains(got, " OTHER ") && !strings.Contains(got, "SECRET"), "kept: %s", got)
}

// Of a key's requests that anybody could make, so many are kept in a minute,
// and of all keys so many.
func TestBounded(t *testing.T) {
	b := setup(t)
	e := b.entry("refused")
	e.MerchantID, e.Bounded = 0, true
	for range requestlog.BoundedMost + 7 {
		b.log.Add(e)
	}
	testenv.Want(t, b.dropped(t, "bounded"), 7, "requests dropped")
	for i := range 1500 {
		e.KeyID = fmt.Sprintf("mk_%024x", i)
		b.log.Add(e)
	}
	testenv.Want(t, b.dropped(t, "bounded"), 7+501, "requests dropped of all keys") // 999 keys beside the first
	testenv.NoError(t, b.log.Flush(t.Context()))
	testenv.Want(t, strings.Count(b.rows(t)+"\n", "\n"), requestlog.BoundedMost, "entries that are kept")
}

// What does not fit is dropped and counted; nobody waits for the database. What
// waits while it is away is written later.
func TestFull(t *testing.T) {
	b := setup(t)
	for range 20_003 {
		b.log.Add(b.entry("many"))
	}
	testenv.Want(t, b.dropped(t, "full"), 3, "requests dropped")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	testenv.Check(t, b.log.Flush(gone) != nil, "written without time for it")
	testenv.NoError(t, b.log.Flush(t.Context()))
	n := b.Count(t, "select count(*) from api_request")
	testenv.Check(t, n == 20_000 && b.dropped(t, "unwritten") == 0, "%d are kept", n)
}

// Requests that nobody can write do not keep those after them.
func TestUnwritten(t *testing.T) {
	b := setup(t)
	b.log.Add(b.entry("\xff"))
	testenv.Check(t, b.log.Flush(t.Context()) != nil, "written")
	b.log.Add(b.entry("next"))
	testenv.NoError(t, b.log.Flush(t.Context()))
	got := b.rows(t)
	testenv.Check(t, strings.HasSuffix(got, " next 1500") && b.dropped(t, "unwritten") == 1, "kept: %s", got)
}

// The worker writes by itself, and at its end what is left.
func TestRun(t *testing.T) {
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { b.log.Run(ctx); close(ended) }()
	b.log.Add(b.entry("first"))
	testenv.Until(t, "it is written", func() bool { return strings.Contains(b.rows(t), "first") })
	b.log.Add(b.entry("last"))
	cancel()
	<-ended
	testenv.Check(t, strings.Contains(b.rows(t), "last"), "kept: %s", b.rows(t))
}

// Requests are kept for a week, and then go, however many they are.
func TestPrune(t *testing.T) {
	b := setup(t)
	for range 12_000 {
		b.log.Add(b.entry("old"))
	}
	testenv.NoError(t, b.log.Flush(t.Context()))
	b.clock.Advance(requestlog.KeepFor - time.Hour)
	b.log.Add(b.entry("young"))
	testenv.NoError(t, b.log.Flush(t.Context()))
	testenv.NoError(t, b.log.Prune(t.Context()))
	testenv.Want(t, strings.Count(b.rows(t)+"\n", "\n"), 12_001, "are kept before a week has gone")
	b.clock.Advance(2 * time.Hour)
	testenv.NoError(t, b.log.Prune(t.Context()))
	got := b.rows(t)
	testenv.Check(t, strings.HasSuffix(got, " young 1500") && !strings.Contains(got, "\n"), "kept: %d bytes", len(got))
}

// From where a proved key is used is noted once a day, and forgotten after
// long; who only names a key notes nothing.
func TestAddressesOfKeys(t *testing.T) {
	b := setup(t)
	noted := func() (text string) {
		testenv.NoError(t, b.log.Flush(t.Context()))
		b.Get(t, &text, "select coalesce(string_agg(concat_ws(' ', key_id, address, first_at = last_at), ',' order by address), '') from key_address")
		return text
	}
	use := func(address string, merchant int64) {
		e := b.entry("r")
		e.Address, e.MerchantID, e.KeyID = address, merchant, "k"
		b.log.Add(e)
	}
	use("192.0.2.1", b.shop.ID)
	use("192.0.2.1", b.shop.ID)
	use("192.0.2.9", 0)
	testenv.Want(t, noted(), "k 192.0.2.1 t", "addresses")
	b.clock.Advance(25 * time.Hour)
	use("192.0.2.1", b.shop.ID)
	use("192.0.2.2", b.shop.ID)
	testenv.Want(t, noted(), "k 192.0.2.1 f,k 192.0.2.2 t", "addresses a day later")
	b.clock.Advance(91 * 24 * time.Hour)
	testenv.NoError(t, b.log.Prune(t.Context()))
	testenv.Want(t, noted(), "", "addresses at last")
}
