package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/testenv"
)

// documented are the delays of the contract: after the first attempt, the second, and so on.
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
			waits := again(i+1, 0)
			least, most = min(least, waits), max(most, waits)
		}
		if least < delay*9/10 || most > delay*11/10 {
			t.Errorf("after attempt %d: %s to %s; want %s ± 10%%", i+1, least, most, delay)
		}
		// 500 draws that stay within the middle half would mean that nothing is spread.
		if least > delay*95/100 || most < delay*105/100 {
			t.Errorf("after attempt %d: only %s to %s", i+1, least, most)
		}
	}
}

// The queue itself keeps to the delays, and to Retry-After, of which each attempt counts.
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

// wantDue wants the next attempt due so long after the one just made, which began after the given time.
func (b *bundle) wantDue(t *testing.T, id uuid.UUID, before time.Time, made int, least, most time.Duration) {
	t.Helper()
	attempts, due, _ := b.queued(t, id)
	if attempts != made || due.Before(before.Add(least)) || due.After(time.Now().Add(most)) {
		t.Errorf("after %d attempts the next is due %s later; want %s to %s", attempts, due.Sub(before), least, most)
	}
}

// Nobody hurries the endpoint that has failed: it is looked at again when its delivery is due.
func TestQueueTriesAgain(t *testing.T) {
	testenv.Long(t, "waits for five seconds")
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError, http.StatusOK))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	_, due, _ := b.queued(t, id)
	b.await(t, id, 2)
	if early := time.Until(due); early > 0 || b.status(t, id) != statusDelivered {
		t.Errorf("%s, %s early", b.status(t, id), early)
	}
}

func TestDeadAfterTheLast(t *testing.T) {
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError))
	id := b.add(t, r.URL)
	for attempt := 1; attempt <= 11; attempt++ {
		b.await(t, id, attempt)
		want := statusPending
		if attempt == 11 {
			want = statusDead
		}
		if status := b.status(t, id); status != want {
			t.Fatalf("after attempt %d the event is %s", attempt, status)
		}
		if attempt < 11 {
			b.hurry(t)
		}
	}
	if _, _, queued := b.queued(t, id); queued {
		t.Error("it is queued still")
	}
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
