package web

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"gateway.example/internal/payment"
)

const (
	// holdFor is how long a page's question is held when there is nothing new.
	holdFor = 25 * time.Second
	// lookEvery is how often the watch looks at the payments that pages ask about.
	lookEvery = 500 * time.Millisecond
	// watchersMost and watchersEach bound the questions held at once, in all and of one payment. Others
	// are answered at once, and asked again as often as the page says.
	watchersMost, watchersEach = 5_000, 4
	// watchTimeout bounds a look at all of them.
	watchTimeout = 5 * time.Second
)

// watch holds the questions of pages until there is something new. It asks the database about all
// the payments at once, however many pages wait.
type watch struct {
	look func(ctx context.Context, merchantIDs, paymentIDs []int64) (map[int64]string, error)

	mu      sync.Mutex
	waiting map[int64]*watched
	count   int
	running bool
}

// watched is a payment that pages wait for.
type watched struct {
	merchantID int64
	// stamp is how it stood at the last look; "" before the first.
	stamp string
	pages map[chan struct{}]bool
}

// wait has a page wait. The channel gets a word after the first look, since the payment may have
// changed just before, and then whenever it changes. A nil channel is for a page that may not.
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
	one.stamp = "" // whoever comes hears of the next look
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

// run looks until nobody waits.
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

// asked are the payments that are waited for. When there are none, the watch is over.
func (w *watch) asked() (merchantIDs, paymentIDs []int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, one := range w.waiting {
		merchantIDs, paymentIDs = append(merchantIDs, one.merchantID), append(paymentIDs, id)
	}
	w.running = len(paymentIDs) > 0
	return merchantIDs, paymentIDs
}

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
			default: // it has not heard the last word yet, and will find both
			}
		}
	}
}

// hold waits while a page that shows a version has nothing else to show: fresh tells what it would
// show now. It answers how the payment stands then.
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
			// Time itself is news when it is over, or when the clock was set.
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
