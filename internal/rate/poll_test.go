package rate_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/outbound"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

// Five percent of 100 is 5: at 105 and at 95 a value is still believed, one
// unit further it is not.
func TestBand(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(*testing.T, *bundle, *testenv.Endpoint){
		// The feed's own last good value counts, whatever else is in
		// use.
		"from the last good one": func(t *testing.T, b *bundle, s *testenv.Endpoint) {
			s.Say(always(body(`{"rate":100}`)))
			b.poll(t)
			b.setRate(t, "50", 0)
		},
		"from a last good one gone stale": func(t *testing.T, b *bundle, s *testenv.Endpoint) {
			s.Say(always(body(`{"rate":100}`)))
			b.poll(t)
			b.clock.Advance(time.Hour)
		},
		"from the rate in use":    func(t *testing.T, b *bundle, _ *testenv.Endpoint) { b.setRate(t, "100", 0) },
		"from the last one known": func(t *testing.T, b *bundle, _ *testenv.Endpoint) { b.setRate(t, "100", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			for value, wrong := range map[string]string{
				"105": "", "105.00000001": "105.00000001 is more than 5% away from 100",
				"95": "", "94.99999999": "94.99999999 is more than 5% away from 100",
				"105.000000004": "", // 105 at 8 decimals
			} {
				b.Exec(t, "delete from rate")
				s := newSource(t, body(`{}`))
				f := b.setFeed(t, feed(s.URL))
				first(t, b, s)
				s.Say(always(body(`{"rate":` + value + `}`)))
				b.clock.Advance(10 * time.Second)
				before := b.metric(t, "out_of_band")
				b.poll(t)
				b.wantError(t, f.ID, wrong)
				refused := b.metric(t, "out_of_band") - before
				testenv.Check(t, (refused == 1) == (wrong != ""), "%s: %d refused", value, refused)
				b.turn(t, f, false)
			}
		})
	}
}

// metric reads how many polls went so.
func (b *bundle) metric(t *testing.T, result string) int {
	t.Helper()
	_, rest, _ := strings.Cut(b.measured(t), fmt.Sprintf("gateway_rate_feed_polls_total{result=%q} ", result))
	value, _, _ := strings.Cut(rest, "\n")
	return testenv.Must(strconv.Atoi(value))(t)
}

// What a feed brings is observed now, and fresh as long as the feed says. A
// refusal changes none of that: the last good rate goes stale by itself, and is
// the last known from then on.
func TestRefusalLeavesTheLastGoodRate(t *testing.T) {
	b := setup(t)
	s := newSource(t, body(`{"rate":100}`))
	f := b.setFeed(t, feed(s.URL))
	b.poll(t)
	rates, _ := testenv.Must2(b.settings.List(context.Background(), operator))(t)
	testenv.Check(t, len(rates) == 1 && rates[0].ObservedAt.Equal(after(0)) && rates[0].StaleAt.Equal(after(60)) &&
		rates[0].InUse && rates[0].Priority == 1, "%+v", rates)
	s.Say(always(status(503)))
	b.clock.Advance(60*time.Second - time.Millisecond)
	b.poll(t)
	b.wantRate(t, "feed:1 100")
	b.wantError(t, f.ID, "answered with status 503")
	b.clock.Advance(time.Millisecond)
	b.wantRate(t, "feed:1 100 stale")
	s.Say(always(body(`{"rate":101}`)))
	b.clock.Advance(10 * time.Second)
	b.poll(t)
	b.wantRate(t, "feed:1 101")
	b.wantError(t, f.ID, "")
	b.wantPolls(t, "good", 2)
	b.wantPolls(t, "unreachable", 1)
}

// A feed is due poll_seconds after it was last due to be polled, and not
// before; a disabled one never.
func TestDue(t *testing.T) {
	b := setup(t)
	s := newSource(t, body(`{"rate":100}`))
	b.turn(t, feed(s.URL), false)
	b.setFeed(t, feed(s.URL))
	for _, step := range []struct {
		by    time.Duration
		calls int
	}{{0, 1}, {0, 1}, {10*time.Second - time.Millisecond, 1}, {time.Millisecond, 2}, {time.Hour, 3}, {0, 3}} {
		b.clock.Advance(step.by)
		b.poll(t)
		testenv.Want(t, len(s.All()), step.calls, "after %s: calls", step.by)
	}
}

// Pollers share the feeds: each due feed is polled once.
func TestPollersInParallel(t *testing.T) {
	b := setup(t)
	var sources []*testenv.Endpoint
	for range 12 {
		s := newSource(t, body(`{"rate":100}`))
		sources = append(sources, s)
		b.setFeed(t, feed(s.URL))
	}
	testenv.NoError(t, testenv.AtOnce(4, func(int) error {
		pool, err := db.Open(t.Context(), b.URL, 2, db.ForCommands)
		if err != nil {
			return err
		}
		defer pool.Close()
		p := rate.NewPoller(pool, b.clock, outbound.NewAddresses(true), nil)
		defer p.Wait()
		for range 5 {
			err = errors.Join(err, p.Poll(t.Context()))
		}
		return err
	})...)
	for i, s := range sources {
		testenv.Want(t, len(s.All()), 1, "times that feed %d was polled", i+1)
	}
}

// A poller passes by what another has just locked, and does not wait for it.
func TestClaimPassesLockedFeeds(t *testing.T) {
	b := setup(t)
	locked, free := newSource(t, body(`{"rate":100}`)), newSource(t, body(`{"rate":100}`))
	b.setFeed(t, feed(locked.URL))
	b.setFeed(t, feed(free.URL))
	other := b.Open(t, 1, db.ForCommands)
	testenv.NoError(t, db.InTx(context.Background(), other, func(tx pgx.Tx, _ *db.Queries) error {
		if _, err := tx.Exec(context.Background(), "select from rate_feed where id = 1 for no key update"); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(context.Background(), testenv.Patience)
		defer cancel()
		err := b.poller.Poll(short)
		b.poller.Wait()
		return err
	}))
	testenv.Check(t, len(locked.All()) == 0 && len(free.All()) == 1, "polled %d and %d times", len(locked.All()), len(free.All()))
}

// A feed that hangs is polled once at a time, however often it would be due,
// and the others are polled meanwhile. With one connection in the pool this
// also shows that a poll holds none.
func TestHangingFeedHarmsOnlyItself(t *testing.T) {
	b := setup(t)
	entered := make(chan struct{}, 10)
	release := make(chan struct{})
	hanging := newSource(t, func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
		body(`{"rate":90}`)(w, r)
	})
	good := newSource(t, body(`{"rate":100}`))
	bad := feed(hanging.URL)
	bad.PollSeconds = 1
	bad = b.setFeed(t, bad)
	other := feed(good.URL)
	other.PollSeconds, other.Priority = 1, 2
	b.setFeed(t, other)
	for i := range 5 {
		testenv.NoError(t, b.poller.Poll(context.Background()))
		testenv.Until(t, "the other feed was polled", func() bool {
			return len(good.All()) == i+1 && b.state(t, 2).PolledAt != nil && b.state(t, 2).PolledAt.Equal(b.clock.Now())
		})
		b.wantRate(t, "feed:2 100")
		b.clock.Advance(time.Second)
	}
	<-entered
	testenv.Want(t, len(hanging.All()), 1, "times that the hanging feed was polled at once")
	close(release)
	b.poller.Wait()
	b.wantError(t, bad.ID, "90 is more than 5% away from 100")
	b.poll(t)
	testenv.Want(t, len(hanging.All()), 2, "times polled once it was due again")
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"before the answer": hang,
		"in the middle of it": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`{"rate":`))
			w.(http.Flusher).Flush()
			hang(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			f := feed(newSource(t, answer).URL)
			f.TimeoutMS = 100
			f = b.setFeed(t, f)
			b.poll(t)
			b.wantError(t, f.ID, "did not answer within 100 ms")
			b.wantRate(t, "no rate is known")
			b.wantPolls(t, "unreachable", 1)
		})
	}
}

func TestNoConnection(t *testing.T) {
	b := setup(t)
	gone := httptest.NewServer(body(``))
	gone.Close()
	f := b.setFeed(t, feed(gone.URL+"/?key=hunter2"))
	b.poll(t)
	b.wantError(t, f.ID, "no connection: connect: connection refused")
	addresses := unchecked{outbound.NewAddresses(true)}
	b.settings, b.poller = rate.NewSettings(b.Pool, b.clock, addresses, foureyes.Rules{}), rate.NewPoller(b.Pool, b.clock, addresses, nil)
	plain := httptest.NewTLSServer(body(`{"rate":1}`))
	t.Cleanup(plain.Close)
	f = b.setFeed(t, feed(plain.URL+"/?key=hunter2"))
	b.poll(t)
	b.wantError(t, f.ID, "the host's certificate is not trusted")
}

// A poller that stops in the middle of a poll blames nobody, and another takes
// the feed up when the claim has run out: 30 seconds after the timeout.
func TestClaimRunsOut(t *testing.T) {
	b := setup(t)
	s := newSource(t, hang)
	f := b.setFeed(t, feed(s.URL))
	ctx, cancel := context.WithCancel(context.Background())
	testenv.NoError(t, b.poller.Poll(ctx))
	testenv.Until(t, "the other source was asked", func() bool { return len(s.All()) == 1 })
	cancel()
	b.poller.Wait()
	b.wantError(t, f.ID, "")
	b.wantPolls(t, "unreachable", 0)
	b.wantPolls(t, "failed", 0)
	s.Say(always(body(`{"rate":100}`)))
	b.clock.Advance(time.Minute - time.Millisecond)
	b.poll(t)
	b.wantRate(t, "no rate is known")
	b.clock.Advance(time.Millisecond)
	b.poll(t)
	b.wantRate(t, "feed:1 100")
}

// An answer to what the feed was before it was changed, or to a claim that has
// run out, counts for nothing.
func TestAnswerTooLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meanwhile func(*testing.T, *bundle, rate.Feed)
		want      string
	}{
		"disabled": {func(t *testing.T, b *bundle, f rate.Feed) { b.turn(t, f, false) }, "no rate is known"},
		"disabled and enabled": {func(t *testing.T, b *bundle, f rate.Feed) {
			b.clock.Advance(time.Second)
			b.turn(t, f, false)
			b.turn(t, f, true)
		}, "no rate is known"},
		"another address": {func(t *testing.T, b *bundle, f rate.Feed) {
			f.URL = newSource(t, body(`{"rate":70}`)).URL
			b.setFeed(t, f)
		}, "no rate is known"},
		"claimed by another": {func(t *testing.T, b *bundle, _ rate.Feed) {
			b.clock.Advance(time.Minute)
			pollBy(t, rate.NewPoller(b.Pool, b.clock, outbound.NewAddresses(true), nil))
		}, "feed:1 80"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			entered, release := make(chan struct{}), make(chan struct{})
			s := testenv.NewEndpoint(t, func(w http.ResponseWriter, r *http.Request, nth int) {
				if nth > 1 {
					body(`{"rate":80}`)(w, r)
					return
				}
				close(entered)
				<-release
				body(`{"rate":100}`)(w, r)
			})
			f := b.setFeed(t, feed(s.URL))
			testenv.NoError(t, b.poller.Poll(context.Background()))
			<-entered
			test.meanwhile(t, b, f)
			close(release)
			b.poller.Wait()
			b.wantRate(t, test.want)
			b.wantPolls(t, "superseded", 1)
			b.wantPolls(t, "good", 0)
		})
	}
}

func TestRateMetrics(t *testing.T) {
	b := setup(t)
	b.setRate(t, "100", 60)
	b.SetRate(t, "AZN", "1.7", true)
	b.clock.Advance(45 * time.Second)
	b.wantMetric(t, `gateway_rate_age_seconds{currency="RUB"} 45`, `gateway_rate_fresh{currency="RUB"} 1`,
		`gateway_rate_age_seconds{currency="AZN"} 45`, `gateway_rate_fresh{currency="AZN"} 1`)
	b.clock.Advance(15 * time.Second)
	b.wantMetric(t, `gateway_rate_age_seconds{currency="RUB"} 60`, `gateway_rate_fresh{currency="RUB"} 0`)
	b.Pool.Close()
	metrics := b.measured(t)
	testenv.Check(t, !strings.Contains(metrics, "gateway_rate_age") && strings.Contains(metrics, "feed_polls_total"),
		"without the database, the other metrics must still be there")
}
