package rate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/rate"
	"gateway.example/internal/testenv"
)

func TestSetFeedValidation(t *testing.T) {
	b := setup(t)
	there := b.setFeed(t, feed("https://rates.example/v1"))
	for _, row := range testenv.Rows(t, "feeds.txt") {
		f := feed("https://rates.example/v1")
		testenv.NoError(t, json.Unmarshal([]byte(row[1]), &f))
		t.Run(row[0], func(t *testing.T) {
			dbtest.WantFields(t, testenv.ErrOf(b.settings.SetFeed(t.Context(), operator, f)), row[2])
		})
	}
	dbtest.WantFields(t, testenv.ErrOf(b.settings.SetFeed(t.Context(), operator, rate.Feed{})), "feed.currency", "feed.url",
		"feed.bandPercent", "feed.priority", "feed.pollSeconds", "feed.timeoutMs", "feed.freshSeconds")

	for _, id := range []int64{-1, there.ID + 1} {
		unknown := feed("https://rates.example/v1")
		unknown.ID = id
		dbtest.WantCode(t, testenv.ErrOf(b.settings.SetFeed(t.Context(), operator, unknown)), "not_found")
	}
	testenv.Want(t, len(b.log(t)), 1, "changes in the log")
	// At the bounds: all this is fine.
	least := rate.Feed{
		Currency: "UZS", Priority: 1000, URL: "https://rates.example/" + strings.Repeat("x", 2026), Pointer: "",
		PollSeconds: 86_400, TimeoutMS: 60_000, BandPercent: "100.0000", DayBandPercent: "100.0000",
		FreshSeconds: 604_800,
	}
	want := least
	got := b.setFeed(t, least)
	want.ID, want.BandPercent, want.DayBandPercent = got.ID, "100", "100"
	state := b.state(t, got.ID)
	testenv.Check(t, got == want && state.Feed == want && state.PolledAt == nil && state.Error == nil, "%+v, %+v, want %+v", got, state, want)
}

func TestSetFeedIsLogged(t *testing.T) {
	b := setup(t)
	f := b.setFeed(t, feed("https://rates.example/v1?key=hunter2"))
	f.URL, f.Enabled, f.BandPercent = "https://rates.example/v1?key=hunter3", false, "2.5"
	b.clock.Advance(time.Second)
	b.setFeed(t, f)
	// The digests are the first of: printf
	// 'https://rates.example/v1?key=hunter2' | sha256sum
	const row = `{"url": "https://rates.example/v1?hidden-%s", "enabled": %t, "pointer": "/rate", "currency": "RUB", "priority": 1, ` +
		`"timeout_ms": 30000, "band_percent": "%s", "poll_seconds": 10, "fresh_seconds": 60, "day_band_percent": "10.0000"}`
	first, second := fmt.Sprintf(row, "3b1b27b0", true, "5.0000"), fmt.Sprintf(row, "c66ef50d", false, "2.5000")
	b.wantLog(t, "operator:7 rate_feed 1 new "+first+" 2026-11-20 12:00:00",
		"operator:7 rate_feed 1 "+first+" "+second+" 2026-11-20 12:00:01")
}

// The lowest priority number that is fresh is used; when it goes stale the
// next; when none is fresh, the last known.
func TestPriorities(t *testing.T) {
	b := setup(t)
	first, second := newSource(t, body(`{"rate":100}`)), newSource(t, body(`{"rate":101}`))
	one, two := feed(first.URL), feed(second.URL)
	one.Priority, one.FreshSeconds = 3, 60
	two.Priority, two.FreshSeconds = 5, 300
	b.setFeed(t, one)
	two = b.setFeed(t, two)
	b.poll(t)
	b.wantRate(t, "feed:1 100")
	b.clock.Advance(time.Second)
	b.setRate(t, "102", 30)
	b.wantRate(t, "operator 102")
	b.clock.Advance(30 * time.Second)
	b.wantRate(t, "feed:1 100")
	first.Say(always(status(500)))
	second.Say(always(status(500)))
	b.poll(t)
	b.clock.Advance(29 * time.Second)
	b.wantRate(t, "feed:2 101") // feed 1 went stale at 60
	b.clock.Advance(4*time.Minute - time.Millisecond)
	b.wantRate(t, "feed:2 101")
	b.clock.Advance(time.Millisecond)
	b.wantRate(t, "operator 102 stale")
	second.Say(always(body(`{"rate":103}`)))
	b.poll(t)
	b.wantRate(t, "feed:2 103")
	first.Say(always(body(`{"rate":104}`)))
	b.clock.Advance(time.Minute)
	b.poll(t)
	b.wantRate(t, "feed:1 104")
	// A change of priority counts at once, before the next poll.
	two.Priority = 2
	b.setFeed(t, two)
	b.wantRate(t, "feed:2 103")
}

// Disabled, a feed's rate is not used any more, unless nothing else was ever
// known.
func TestDisabledFeed(t *testing.T) {
	b := setup(t)
	b.setRate(t, "98", 1)
	b.clock.Advance(time.Minute)
	s := newSource(t, body(`{"rate":100}`))
	f := b.setFeed(t, feed(s.URL))
	b.poll(t)
	b.wantRate(t, "feed:1 100")
	b.turn(t, f, false)
	b.wantRate(t, "operator 98 stale")
	rates, _ := testenv.Must2(b.settings.List(context.Background(), operator))(t)
	testenv.Check(t, len(rates) == 2 && rates[0].Source == "operator" && !rates[1].InUse && !rates[1].Fresh &&
		rates[1].StaleAt != nil && rates[1].StaleAt.Equal(after(60)), "%+v", rates)
	b.clock.Advance(time.Hour)
	b.poll(t)
	testenv.Want(t, len(s.All()), 1, "times that a disabled feed was polled")
	// Enabled again it does not come back with what it said before, and is
	// judged by the rate in use: 94 is within 5% of 98, and out of the band
	// around the 100 it brought before.
	b.turn(t, f, true)
	b.wantRate(t, "operator 98 stale")
	s.Say(always(body(`{"rate":94}`)))
	b.poll(t)
	b.wantRate(t, "feed:1 94")
}

func TestDisabledFeedIsTheLastResort(t *testing.T) {
	b := setup(t)
	f := b.setFeed(t, feed(newSource(t, body(`{"rate":100}`)).URL))
	b.poll(t)
	b.turn(t, f, false)
	b.wantRate(t, "feed:1 100 stale")
}

// A change has the feed polled at once and forgets what was wrong before it.
func TestChangedFeedIsPolledAtOnce(t *testing.T) {
	b := setup(t)
	f := b.setFeed(t, feed(newSource(t, status(500)).URL))
	b.poll(t)
	b.wantError(t, f.ID, "answered with status 500")
	f.URL = newSource(t, body(`{"rate":100}`)).URL
	b.setFeed(t, f)
	b.wantError(t, f.ID, "")
	b.poll(t)
	b.wantRate(t, "feed:1 100")
}

// Whatever rates there are, the one that is listed as in use is the one that is
// used.
func TestListAgreesWithCurrent(t *testing.T) {
	b := setup(t)
	ctx, random := context.Background(), rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		b.Exec(t, "delete from rate")
		var used []string
		for _, currency := range []string{"AZN", "RUB"} {
			for i := range 1 + random.IntN(5) {
				b.randomRate(t, random, currency, fmt.Sprint("source ", i))
			}
			base := testenv.Must(rate.Current(ctx, b.Queries(), currency, b.clock.Now()))(t)
			used = append(used, fmt.Sprint(currency, base.Source, base.Fresh))
		}
		rates, _ := testenv.Must2(b.settings.List(ctx, operator))(t)
		var listed []string
		for _, known := range rates {
			if known.InUse {
				listed = append(listed, fmt.Sprint(known.Currency, known.Source, known.Fresh))
			}
		}
		testenv.Want(t, fmt.Sprint(listed), fmt.Sprint(used), "round %d: what is listed as used, of %+v", round, rates)
	}
}

func (b *bundle) randomRate(t *testing.T, random *rand.Rand, currency, source string) {
	t.Helper()
	params := db.RateSetParams{
		Currency: currency, FiatPerUSDT: dec("100"), Source: source, Priority: int32(random.IntN(1000)),
		ObservedAt: after(-random.IntN(1_000_000)),
	}
	kind := random.IntN(4)
	if kind != 0 {
		params.StaleAt = new(after(random.IntN(200) - 150))
	}
	testenv.NoError(t, b.Queries().RateSet(context.Background(), params))
	if kind == 1 {
		testenv.NoError(t, b.Queries().RateWithdraw(t.Context(), db.RateWithdrawParams{Currency: currency, Source: source}))
	}
}

// answer is what a feed says, and what becomes of it: the rate, or the error.
type answer struct {
	say     http.HandlerFunc
	pointer string
	want    string
	err     string
}

// check has a new feed say it, with no other rate about.
func (b *bundle) check(t *testing.T, a answer, result string) {
	t.Helper()
	b.Exec(t, "delete from rate")
	before := b.metric(t, result)
	f := feed(newSource(t, a.say).URL + "/path?key=hunter2")
	f.Pointer = a.pointer
	f = b.setFeed(t, f)
	b.poll(t)
	want := "no rate is known"
	if a.err == "" {
		want = fmt.Sprintf("feed:%d %s", f.ID, a.want)
	}
	b.wantRate(t, want)
	b.wantError(t, f.ID, a.err)
	testenv.Want(t, b.metric(t, result), before+1, "polls went as %s", result)
	at := b.state(t, f.ID).PolledAt
	testenv.Check(t, at != nil && at.Equal(after(0)), "polled at %v", at)
}

// checkAll has a new feed for each row of testdata.
func (b *bundle) checkAll(t *testing.T, result string) {
	t.Helper()
	for _, row := range testenv.Rows(t, result+".txt") {
		a := answer{say: body(row[2]), pointer: row[1], want: row[3]}
		if result == "invalid" {
			a.want, a.err = "", row[3]
		}
		t.Run(row[0], func(t *testing.T) { b.check(t, a, result) })
	}
}

func TestAnswersTaken(t *testing.T) {
	b := setup(t)
	b.checkAll(t, "good")
	b.check(t, answer{say: redirect("/other"), pointer: "/rate", want: "92.35"}, "good") // a redirect of its own
}

// redirect sends everyone who asks elsewhere to the target.
func redirect(target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == target {
			body(`{"rate":92.35}`)(w, r)
			return
		}
		http.Redirect(w, r, target, http.StatusFound)
	}
}

func TestAnswersUnreachable(t *testing.T) {
	b := setup(t)
	other := httptest.NewServer(body(`{"rate":92.35}`))
	t.Cleanup(other.Close)
	for name, a := range map[string]answer{
		"500": {say: status(500), err: "answered with status 500"},
		"204": {say: status(204), err: "answered with status 204"},
		"201 with a rate": {say: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusCreated)
			body(`{"rate":92.35}`)(w, r)
		}, err: "answered with status 201"},
		"a redirect to another host": {say: redirect(other.URL + "/?key=hunter2"), err: "redirects too often, or to another host"},
		"a redirect to itself": {say: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, err: "redirects too often, or to another host"},
		"broken off": {say: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			body(`{"rate":92.35}`)(w, r)
		}, err: "broke off in the middle of its answer"},
		"not HTTP": {say: func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_, _ = conn.Write([]byte("hunter2\r\n\r\n"))
				_ = conn.Close()
			}
		}, err: "gave no answer"},
		"hangs up": {say: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, err: "gave no answer"},
		"huge headers": {say: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Huge", strings.Repeat("x", 64<<10))
			body(`{"rate":92.35}`)(w, r)
		}, err: "gave no answer"},
	} {
		a.pointer = "/rate"
		t.Run(name, func(t *testing.T) { b.check(t, a, "unreachable") })
	}
}

func TestAnswersInvalid(t *testing.T) {
	b := setup(t)
	b.checkAll(t, "invalid")
}

// A shorter validity is that of the value there is, too: a feed that says
// nothing more is believed no longer than its operator wants it to be. What was
// believed does not come back by a longer one.
func TestShorterValidityIsOfTheRateThereIs(t *testing.T) {
	b := setup(t)
	s := newSource(t, body(`{"rate":100}`))
	f := feed(s.URL)
	f.FreshSeconds = 604_800
	f = b.setFeed(t, f)
	b.poll(t)
	s.Say(always(status(503)))
	b.clock.Advance(time.Minute - time.Millisecond)
	f.FreshSeconds = 60
	b.setFeed(t, f)
	b.poll(t)
	b.wantRate(t, "feed:1 100")
	b.clock.Advance(time.Millisecond)
	b.wantRate(t, "feed:1 100 stale")
	f.FreshSeconds = 604_800
	b.setFeed(t, f)
	b.wantRate(t, "feed:1 100 stale")
}
