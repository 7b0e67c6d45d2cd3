package webhook

import (
	"net/http"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// documented are the delays of the contract: after the first attempt, the second, and so on.
var documented = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

func TestDelays(t *testing.T) {
	t.Parallel()
	for i, delay := range documented {
		job := &river.Job[delivery]{JobRow: &rivertype.JobRow{Attempt: i + 1}}
		least, most := 100*time.Hour, time.Duration(0)
		for range 500 {
			before := time.Now()
			waits := new(Worker).NextRetry(job).Sub(before)
			least, most = min(least, waits), max(most, waits)
		}
		// What the call itself takes is added to the delay.
		const slack = 200 * time.Millisecond
		if least < delay*9/10 || most > delay*11/10+slack {
			t.Errorf("after attempt %d: %s to %s; want %s ± 10%%", i+1, least, most, delay)
		}
		// 500 draws that stay within the middle half would mean that nothing is spread.
		if least > delay*95/100 || most < delay*105/100 {
			t.Errorf("after attempt %d: only %s to %s", i+1, least, most)
		}
	}
}

func TestOneAttemptMoreThanDelays(t *testing.T) {
	t.Parallel()
	if attempts != 11 {
		t.Errorf("%d attempts; ten delays lie between eleven", attempts)
	}
}

// A process that dies in the midst of the last attempt uses it up, as the queue counts. The event still finds its end.
func TestDeathInTheLastAttempt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if most := (delivery{}).InsertOpts().MaxAttempts; most <= attempts {
		t.Fatalf("the queue gives up after %d", most)
	}
	r := newReceiver(t, codes(http.StatusInternalServerError))
	id := b.insert(t, r.URL)
	job, err := b.once(t, id, attempts+1)
	if err == nil || b.status(t, id) != statusDead {
		t.Errorf("the event is %s, %v", b.status(t, id), err)
	}
	if due := time.Until(b.worker.NextRetry(job)); due < 21*time.Hour || due > 27*time.Hour {
		t.Errorf("the attempt after it is due in %s", due)
	}
}

// The queue itself keeps to the delays.
func TestQueueWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, codes(http.StatusInternalServerError))
	before := time.Now()
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	var due time.Time
	eventually(t, func() bool {
		var state string
		state, _, due = b.job(t, id)
		return state != "running"
	})
	if waits := due.Sub(before); waits < 4500*time.Millisecond || waits > 5500*time.Millisecond+patience {
		t.Errorf("the second attempt is due after %s", waits)
	}
	b.hurry(t)
	b.await(t, id, 2)
	eventually(t, func() bool {
		var state string
		state, _, due = b.job(t, id)
		return state == "retryable"
	})
	if waits := time.Until(due); waits < 53*time.Second-patience || waits > 66*time.Second {
		t.Errorf("the third attempt is due in %s", waits)
	}
}

func TestDeadAfterTheLast(t *testing.T) {
	t.Parallel()
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
	eventually(t, func() bool {
		state, _, _ := b.job(t, id)
		return state == "cancelled"
	})
}

func TestGoneStops(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, codes(http.StatusGone))
	id := b.add(t, r.URL)
	b.await(t, id, 1)
	eventually(t, func() bool {
		state, _, _ := b.job(t, id)
		return state == "cancelled"
	})
	if status := b.status(t, id); status != statusDead {
		t.Errorf("the event is %s", status)
	}
	// It stops this event alone.
	other := b.add(t, r.URL)
	b.await(t, other, 1)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		header      string
		least, most time.Duration
	}{
		"seconds":             {"120", 2 * time.Minute, 2 * time.Minute},
		"a date":              {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 59 * time.Minute, time.Hour},
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
		r := newReceiver(t, func(w http.ResponseWriter, _ int) {
			w.Header().Set("Retry-After", test.header)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		job, err := b.once(t, b.insert(t, r.URL), 1)
		if err == nil {
			t.Fatalf("%s: delivered", name)
		}
		const slack = 500 * time.Millisecond
		if waits := time.Until(b.worker.NextRetry(job)); waits < test.least-slack || waits > test.most+slack {
			t.Errorf("%s: waits %s; want %s to %s", name, waits, test.least, test.most)
		}
	}
}

// The queue itself goes by Retry-After, and the attempt counts.
func TestQueueRetriesAfter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := newReceiver(t, func(w http.ResponseWriter, _ int) {
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	id := b.add(t, r.URL)
	for made := 1; made <= 2; made++ {
		b.await(t, id, made)
		eventually(t, func() bool {
			state, attempt, due := b.job(t, id)
			waits := time.Until(due)
			return state == "retryable" && attempt == made && waits > 2*time.Hour-patience && waits <= 2*time.Hour
		})
		b.hurry(t)
	}
	b.await(t, id, 3)
}
