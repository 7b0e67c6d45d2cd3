package rate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin, ID: 7}

// bundle is the rates room over a database of its own, without any rate.
type bundle struct {
	*dbtest.DB
	clock    *dbtest.Clock
	settings *rate.Settings
	poller   *rate.Poller
	metrics  *prometheus.Registry
}

// setup has the test run beside others.
func setup(t *testing.T) *bundle {
	t.Helper()
	t.Parallel()
	addresses := outbound.NewAddresses(true)
	d, clock, metrics := dbtest.New(t), &dbtest.Clock{}, prometheus.NewRegistry()
	b := &bundle{
		DB: d, clock: clock, settings: rate.NewSettings(d.Pool, clock, addresses, foureyes.Rules{}),
		poller: rate.NewPoller(d.Pool, clock, addresses, metrics), metrics: metrics,
	}
	t.Cleanup(b.poller.Wait)
	return b
}

// poll polls what is due, and waits for it.
func (b *bundle) poll(t *testing.T) {
	t.Helper()
	pollBy(t, b.poller)
}

func pollBy(t *testing.T, poller *rate.Poller) {
	t.Helper()
	testenv.NoError(t, poller.Poll(t.Context()))
	poller.Wait()
}

// feed is a valid one of RUB.
func feed(url string) rate.Feed {
	return rate.Feed{
		Currency: "RUB", Enabled: true, Priority: 1, URL: url, Pointer: "/rate", PollSeconds: 10, TimeoutMS: 30_000,
		BandPercent: "5", FreshSeconds: 60,
	}
}

func (b *bundle) setFeed(t *testing.T, f rate.Feed) rate.Feed {
	t.Helper()
	return testenv.Must(b.settings.SetFeed(context.Background(), operator, f))(t)
}

// turn switches a feed off or on.
func (b *bundle) turn(t *testing.T, f rate.Feed, on bool) {
	t.Helper()
	f.Enabled = on
	b.setFeed(t, f)
}

func (b *bundle) setRate(t *testing.T, fiat string, valid int64) {
	t.Helper()
	m := rate.Manual{Currency: "RUB", FiatPerUSDT: fiat}
	if valid > 0 {
		m.ValidSeconds = &valid
	}
	testenv.Must(b.settings.Set(context.Background(), operator, m))(t)
}

// wantRate wants a rate of RUB in use, written as "source fiat", and " stale"
// where it is only the last known.
func (b *bundle) wantRate(t *testing.T, want string) {
	t.Helper()
	base, err := rate.Current(context.Background(), b.Queries(), "RUB", b.clock.Now())
	got := fmt.Sprintf("%s %s", base.Source, base.FiatPerUSDT)
	switch {
	case err != nil:
		got = err.Error()
	case !base.Fresh:
		got += " stale"
	}
	testenv.Want(t, got, want, "in use is")
}

// state reads how a feed is doing.
func (b *bundle) state(t *testing.T, id int64) rate.FeedState {
	t.Helper()
	_, feeds := testenv.Must2(b.settings.List(context.Background(), operator))(t)
	for _, state := range feeds {
		if state.ID == id {
			return state
		}
	}
	t.Fatalf("feed %d is not listed", id)
	return rate.FeedState{}
}

// wantError wants the feed's last error; "" is none.
func (b *bundle) wantError(t *testing.T, id int64, want string) {
	t.Helper()
	got, state := "", b.state(t, id)
	if state.Error != nil {
		got = *state.Error
	}
	testenv.Want(t, got, want, "feed %d: error", id)
}

// measured is the metrics as a scrape gets them.
func (b *bundle) measured(t *testing.T) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	promhttp.HandlerFor(b.metrics, promhttp.HandlerOpts{}).
		ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return recorder.Body.String()
}

// wantPolls wants so many polls to have gone so.
func (b *bundle) wantPolls(t *testing.T, result string, want int) {
	t.Helper()
	testenv.Want(t, b.metric(t, result), want, "polls that went as %s", result)
}

// wantMetric wants lines such as `name{label="x"} 1`.
func (b *bundle) wantMetric(t *testing.T, lines ...string) {
	t.Helper()
	metrics := b.measured(t)
	for _, line := range lines {
		testenv.Check(t, strings.Contains(metrics, "\n"+line+"\n"), "no metric %s", line)
	}
}

// wantLog wants the log of settings to have these lines: who, what, before and
// after, and when.
func (b *bundle) wantLog(t *testing.T, want ...string) {
	t.Helper()
	testenv.Want(t, strings.Join(b.log(t), "\n"), strings.Join(want, "\n"), "the log")
}

func (b *bundle) log(t *testing.T) []string {
	t.Helper()
	return b.Texts(t, `select concat_ws(' ', actor, subject, subject_key, coalesce(before::text, 'new'), after, at at time zone 'utc')
		from setting_change order by id`)
}

func newSource(t *testing.T, answer http.HandlerFunc) *testenv.Endpoint {
	t.Helper()
	return testenv.NewEndpoint(t, always(answer))
}

// always answers all requests alike.
func always(answer http.HandlerFunc) testenv.Answer {
	return func(w http.ResponseWriter, r *http.Request, _ int) { answer(w, r) }
}

// body answers 200 and the text.
func body(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// hang answers nothing until whoever asks has gone. Only then, and not before
// the answer began, does the server notice.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func after(seconds int) time.Time { return dbtest.Start.Add(time.Duration(seconds) * time.Second) }
