package webhook

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
	"gateway.example/internal/outbound"
	"gateway.example/internal/testenv"
)

// Of an answer the first 2 KiB are kept, whatever their bytes are.
func TestAnswerKept(t *testing.T) {
	const kept = 2048
	b := setup(t)
	for name, test := range map[string]struct {
		answer []byte
		keeps  int
	}{
		"nothing":            {nil, 0},
		"short":              {[]byte("ok"), 2},
		"one below the cut":  {bytes.Repeat([]byte("a"), kept-1), kept - 1},
		"at the cut":         {bytes.Repeat([]byte("b"), kept), kept},
		"one past the cut":   {bytes.Repeat([]byte("c"), kept+1), kept},
		"a megabyte":         {bytes.Repeat([]byte("d"), 1<<20), kept},
		"NUL, invalid UTF-8": {[]byte("\x00\xff\xfe"), 3},
	} {
		r := newReceiver(t, func(w http.ResponseWriter, _ int) { _, _ = w.Write(test.answer) })
		id := b.add(t, r.URL)
		attempt := b.await(t, id, 1)[0]
		testenv.Check(t, bytes.Equal(attempt.Answer, test.answer[:test.keeps]),
			"%s: kept %d bytes; want %d", name, len(attempt.Answer), test.keeps)
		testenv.Want(t, b.status(t, id), statusDelivered, "%s: not delivered", name)
	}
}

// Success is any 2xx and nothing else.
func TestWhatSuccessIs(t *testing.T) {
	b := setup(t)
	for code, want := range map[int]string{
		200: statusDelivered, 201: statusDelivered, 204: statusDelivered, 299: statusDelivered, 300: statusPending,
		301: statusPending, 302: statusPending, 307: statusPending, 308: statusPending, 400: statusPending,
		401: statusPending, 404: statusPending, 409: statusPending, 429: statusPending, 500: statusPending,
		503: statusPending, 599: statusPending, 410: statusDead,
	} {
		r := newReceiver(t, codes(code))
		id := b.insert(t, r.URL)
		b.once(t, id)
		testenv.Want(t, b.status(t, id), want, "%d leaves the event", code)
		kept := b.await(t, id, 1)[0].StatusCode
		testenv.Check(t, kept != nil && *kept == int32(code), "%d was kept as %v", code, kept)
	}
}

// A redirect would carry the signed body to an address nobody has checked.
func TestRedirectsAreNotFollowed(t *testing.T) {
	b := setup(t)
	target := newReceiver(t, codes(http.StatusOK))
	for _, code := range []int{301, 302, 303, 307, 308} {
		r := newReceiver(t, func(w http.ResponseWriter, _ int) {
			w.Header().Set("Location", target.URL)
			w.WriteHeader(code)
		})
		id := b.insert(t, r.URL)
		testenv.Check(t, !b.once(t, id), "%d counts as success", code)
	}
	testenv.Want(t, len(target.All()), 0, "redirects followed")
}

// An endpoint has the documented 15 s; here it is waited for for a moment.
func TestTimeout(t *testing.T) {
	t.Parallel()
	const timeout = 50 * time.Millisecond
	b := setupWith(t, outbound.NewAddresses(true), timeout)
	usual := NewDeliverer(b.Pool, b.vault, b.clock, outbound.NewAddresses(true), prometheus.NewRegistry())
	testenv.Want(t, usual.client.Timeout, 15*time.Second, "an endpoint has")
	silent := make(chan struct{})
	r := newReceiver(t, func(http.ResponseWriter, int) { <-silent })
	defer close(silent) // before the receiver closes, which waits for its handlers
	id := b.insert(t, r.URL)
	began := time.Now()
	b.once(t, id)
	took := time.Since(began)
	testenv.Check(t, took >= timeout, "gave up after %s", took)
	attempt := b.await(t, id, 1)[0]
	testenv.Check(t, attempt.StatusCode == nil && attempt.Error != nil && *attempt.Error == "no answer within 15 s",
		"kept %+v", attempt)
	kept := time.Duration(attempt.DurationMs) * time.Millisecond
	testenv.Check(t, kept >= timeout && kept <= took, "kept as %d ms", attempt.DurationMs)
	testenv.Want(t, b.status(t, id), statusPending, "the event is")
}

// What came of an attempt without an answer is told in words that say nothing
// of our network.
func TestNoAnswer(t *testing.T) {
	b := setup(t)
	closed := newReceiver(t, codes(http.StatusOK))
	closed.Close()
	hangsUp := newReceiver(t, func(w http.ResponseWriter, _ int) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	for name, url := range map[string]string{
		"nobody listens":   closed.URL,
		"hangs up":         hangsUp.URL,
		"not HTTP":         "http://" + babbler(t),
		"no such name":     "https://webhook.invalid/hook",
		"not an address":   "http://127.0.0.1:port/",
		"TLS to plaintext": strings.Replace(hangsUp.URL, "http:", "https:", 1),
	} {
		id := b.insert(t, url)
		if b.once(t, id) {
			t.Errorf("%s: delivered", name)
			continue
		}
		attempt := b.await(t, id, 1)[0]
		if attempt.StatusCode != nil || attempt.Error == nil || *attempt.Error == "" || attempt.Answer != nil {
			t.Errorf("%s: kept %+v", name, attempt)
			continue
		}
		revealsNothing(t, *attempt.Error)
	}
}

// babbler accepts connections and answers with no HTTP.
func babbler(t *testing.T) string {
	t.Helper()
	listener := testenv.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("220 mail.example ESMTP\r\n"))
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// Attempts go by whole months when they have been kept long enough, and those
// of no month one by one. Each removal leaves a line in the log, and the events
// stay.
func TestPurgeAttempts(t *testing.T) {
	b := setup(t)
	id := b.written(t, b.merchant, nowhere)
	month := time.Date(2041, 3, 1, 0, 0, 0, 0, time.UTC)
	testenv.NoError(t, db.MakeMonths(t.Context(), b.Pool, month))
	attempt := func(at time.Time) {
		b.Exec(t, "insert into webhook_attempt (merchant_id, event_id, at, duration_ms) values ($1, $2, $3, 1)",
			b.merchant.ID, id, at)
	}
	stray := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC) // in no month that has a partition
	late := stray.AddDate(10, 0, 0)                      // in none, either
	for _, at := range []time.Time{time.Now(), stray, stray, late, month, month.AddDate(0, 1, -1), month.AddDate(0, 1, 0)} {
		attempt(at)
	}
	const keep = 90 * 24 * time.Hour
	now := month.AddDate(0, 1, 0).Add(keep)
	testenv.NoError(t, PurgeAttempts(t.Context(), b.Pool, now.Add(-time.Millisecond), keep))
	left := func() int { return b.Count(t, "select count(*) from webhook_attempt") }
	testenv.Want(t, left(), 4, "attempts that are left, those of both months and the late one")
	testenv.NoError(t, PurgeAttempts(t.Context(), b.Pool, now, keep))
	testenv.Want(t, left(), 2, "attempts that are left, that of the second month and the late one")
	testenv.Want(t, b.Count(t, "select sum((after ->> 'count')::int) from setting_change where subject = 'purge'"), 5,
		"the receipts speak of attempts")
	testenv.Want(t, b.Count(t, "select count(*) from webhook_event where id = $1", id), 1, "events that are left")
	// The next attempt is kept as ever.
	attempt(time.Now())
	testenv.Want(t, left(), 3, "attempts")
}

// documented are the delays of the contract: after the first attempt, the
// second, and so on.
var documented = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

func TestDelays(t *testing.T) {
	t.Parallel()
	testenv.Want(t, attempts, len(documented)+1, "attempts, with a delay between each")
	for i, delay := range documented {
		least, most := 100*time.Hour, time.Duration(0)
		for range 500 {
			waits := backoff(i+1, 0)
			least, most = min(least, waits), max(most, waits)
		}
		testenv.Check(t, least >= delay*9/10 && most <= delay*11/10,
			"after attempt %d: %s to %s; want %s ± 10%%", i+1, least, most, delay)
		// 500 draws that stay within the middle half would mean that
		// nothing is spread.
		testenv.Check(t, least <= delay*95/100 && most >= delay*105/100,
			"after attempt %d: only %s to %s", i+1, least, most)
	}
}

// The queue itself keeps to the delays, and to Retry-After, of which each
// attempt counts.
func TestQueueWaits(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, func(w http.ResponseWriter, nth int) {
		if nth > 2 {
			w.Header().Set("Retry-After", "7200")
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	before := time.Now()
	id := b.add(t, r.URL)
	for made, waits := range []struct{ least, most time.Duration }{
		{4500 * time.Millisecond, 5500 * time.Millisecond}, {54 * time.Second, 66 * time.Second}, {2 * time.Hour, 2 * time.Hour},
	} {
		b.await(t, id, made+1)
		b.wantDue(t, id, before, made+1, waits.least, waits.most)
		before = time.Now()
		b.hurry(t)
	}
	b.await(t, id, 4)
}

// wantDue wants the next attempt due so long after the one just made, which
// began after the given time.
func (b *bundle) wantDue(t *testing.T, id uuid.UUID, before time.Time, made int, least, most time.Duration) {
	t.Helper()
	attempts, due, _ := b.queued(t, id)
	testenv.Check(t, attempts == made && !due.Before(before.Add(least)) && !due.After(time.Now().Add(most)),
		"after %d attempts the next is due %s later; want %s to %s", attempts, due.Sub(before), least, most)
}

// Nobody hurries the endpoint that has failed: it is looked at again when its
// delivery is due.
func TestQueueTriesAgain(t *testing.T) {
	testenv.Long(t, "waits for five seconds")
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError, http.StatusOK))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	_, due, _ := b.queued(t, id)
	b.await(t, id, 2)
	early := time.Until(due)
	testenv.Check(t, early <= 0 && b.status(t, id) == statusDelivered, "%s, %s early", b.status(t, id), early)
}

func TestDeadAfterTheLast(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError))
	id := b.add(t, r.URL)
	for made := 1; made < 11; made++ {
		b.await(t, id, made)
		testenv.Want(t, b.status(t, id), statusPending, "after attempt %d the event is", made)
		b.hurry(t)
	}
	b.await(t, id, 11)
	_, _, queued := b.queued(t, id)
	testenv.Check(t, b.status(t, id) == statusDead && !queued, "after the last it is %s, queued %t", b.status(t, id), queued)
}

func TestRetryAfter(t *testing.T) {
	b := setup(t)
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		header      string
		least, most time.Duration
	}{
		"seconds":             {"120", 2 * time.Minute, 2 * time.Minute},
		"a date":              {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), time.Hour - testenv.Patience, time.Hour},
		"a day":               {"86400", day, day},
		"more than a day":     {"86401", day, day},
		"an age":              {"18446744073709551615", day, day},
		"a far date":          {time.Now().Add(9 * day).UTC().Format(http.TimeFormat), day, day},
		"less than we wait":   {"1", 4500 * time.Millisecond, 5500 * time.Millisecond},
		"a past date":         {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 4500 * time.Millisecond, 5500 * time.Millisecond},
		"negative":            {"-5", 4500 * time.Millisecond, 5500 * time.Millisecond},
		"words":               {"soon", 4500 * time.Millisecond, 5500 * time.Millisecond},
		"more than 64 bits":   {"99999999999999999999999", 4500 * time.Millisecond, 5500 * time.Millisecond},
		"none at all, so 5 s": {"", 4500 * time.Millisecond, 5500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReceiver(t, func(w http.ResponseWriter, _ int) {
				w.Header().Set("Retry-After", test.header)
				w.WriteHeader(http.StatusServiceUnavailable)
			})
			id := b.insert(t, r.URL)
			before := time.Now()
			b.once(t, id)
			b.wantDue(t, id, before, 1, test.least, test.most)
		})
	}
}
