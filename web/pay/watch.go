package pay

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gateway.example/internal/payment"
)

const (
	// holdFor is how long a status request waits (long polling) when
	// nothing changes.
	holdFor = 25 * time.Second
	// lookEvery is how often the database is asked about all payments that
	// requests wait for.
	lookEvery = 500 * time.Millisecond
	// watchersMost and watchersEach bound the waiting requests, in total
	// and for one payment. Any others are answered at once, and their pages
	// poll instead.
	watchersMost, watchersEach = 5_000, 4
	// watchTimeout bounds the query that looks at all these payments.
	watchTimeout = 5 * time.Second
)

// watch tells waiting status requests when their payment changes. One query
// asks about all the payments, however many requests wait.
type watch struct {
	look func(ctx context.Context, merchantIDs, paymentIDs []int64) (map[int64]string, error)

	mu      sync.Mutex
	waiting map[int64]*watched
	count   int
	running bool
}

// watched is a payment that requests wait for.
type watched struct {
	merchantID int64
	// stamp is the state that the last query found; "" before the first.
	stamp string
	pages map[chan struct{}]bool
}

// wait subscribes a request to a payment. The channel gets a value after the
// first query, because the payment may have changed just before the
// subscription, and then after each change. It is nil when too many requests
// wait already.
func (w *watch) wait(p payment.Payment) (news chan struct{}, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.waiting[p.ID]
	if w.count >= watchersMost || one != nil && len(one.pages) >= watchersEach {
		return nil, func() {}
	}
	if one == nil {
		one = &watched{merchantID: p.MerchantID, pages: map[chan struct{}]bool{}}
		w.waiting[p.ID] = one
	}
	one.stamp = "" // so that the next query notifies the new request, too
	news = make(chan struct{}, 1)
	one.pages[news] = true
	w.count++
	if !w.running {
		w.running = true
		go w.run()
	}
	return news, func() { w.leave(p.ID, news) }
}

func (w *watch) leave(id int64, news chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.waiting[id]
	delete(one.pages, news)
	if w.count--; len(one.pages) == 0 {
		delete(w.waiting, id)
	}
}

// run asks the database until no request waits.
func (w *watch) run() {
	for {
		time.Sleep(lookEvery)
		merchantIDs, paymentIDs := w.asked()
		if len(paymentIDs) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), watchTimeout)
		stamps, err := w.look(ctx, merchantIDs, paymentIDs)
		cancel()
		if err != nil {
			slog.Warn("pages are not told of news", "error", err)
			continue
		}
		w.tell(stamps)
	}
}

// asked returns the payments that requests wait for. When there are none, run
// ends.
func (w *watch) asked() (merchantIDs, paymentIDs []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, one := range w.waiting {
		merchantIDs, paymentIDs = append(merchantIDs, one.merchantID), append(paymentIDs, id)
	}
	w.running = len(paymentIDs) > 0
	return merchantIDs, paymentIDs
}

// tell wakes the requests whose payment has another stamp than before. It never
// blocks: a request that has a value waiting will read the latest state anyway.
func (w *watch) tell(stamps map[int64]string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, stamp := range stamps {
		one := w.waiting[id]
		if one == nil || one.stamp == stamp {
			continue
		}
		one.stamp = stamp
		for news := range one.pages {
			select {
			case news <- struct{}{}:
			default: // a value is waiting already; the request will read the latest state
			}
		}
	}
}

// hold waits until the page would show something else than what it has, and
// returns the latest status, which fresh reads. A page that has another version
// already is answered at once.
func (p *Pay) hold(v visit, now status, fresh func() (status, error)) (status, error) {
	if v.r.URL.Query().Get("version") != now.Version {
		return now, nil
	}
	news, leave := p.watching.wait(v.payment)
	defer leave()
	if news == nil {
		return now, nil
	}
	began, over := time.Now(), time.NewTimer(holdFor)
	defer over.Stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-v.r.Context().Done():
			return now, v.r.Context().Err()
		case <-p.Stopping:
			return fresh()
		case <-over.C:
			return fresh()
		case <-tick.C:
			// The page changes, too, when the time to pay ends, and
			// when a test clock is moved.
			left := v
			left.now = p.Clock.Now()
			counted := now.Seconds - int(time.Since(began)/time.Second)
			if left.waiting() != v.waiting() || left.waiting() && abs(left.secondsLeft()-counted) > 2 {
				return fresh()
			}
		case <-news:
			latest, err := fresh()
			if err != nil || latest.Version != now.Version {
				return latest, err
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }
