package limit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// Beside a caller with many calls at once, another is let in with the next call
// that ends.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(4, prometheus.NewRegistry())
		var mu sync.Mutex
		var order []string
		call := func(who string) {
			leave, err := turns.Enter(t.Context(), who)
			if err != nil {
				t.Errorf("%s: %v", who, err)
				return
			}
			mu.Lock()
			order = append(order, who)
			mu.Unlock()
			time.Sleep(10 * time.Millisecond)
			leave()
		}
		for n := range 60 {
			go func() {
				time.Sleep(time.Duration(n) * time.Microsecond)
				call("many")
			}()
		}
		time.Sleep(time.Millisecond)
		for n := range 3 {
			go func() {
				time.Sleep(time.Duration(n) * time.Microsecond)
				call("few")
			}()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		first := slices.Index(order, "few")
		testenv.Check(t, len(order) == 63 && first <= 5, "of %d calls the other's first was number %d", len(order), first)
		slices.Reverse(order)
		last := 62 - slices.Index(order, "few")
		testenv.Check(t, last <= 10, "the other's last was number %d", last)
		testenv.Check(t, turns.free == 4 && turns.waiting == 0 && len(turns.inside)+len(turns.lines)+turns.order.Len() == 0,
			"in the end %+v", turns)
	})
}

// Who waits too long, or behind too many, is told that the service is busy; who
// hangs up is forgotten.
func TestTurnsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, prometheus.NewRegistry())
		leave := testenv.Must(turns.Enter(t.Context(), "first"))(t)
		hungUp, hangUp := context.WithCancel(t.Context())
		answers := make(chan error, lineMost+1)
		for range lineMost {
			go func() {
				_, err := turns.Enter(hungUp, "many")
				answers <- err
			}()
		}
		synctest.Wait()
		_, err := turns.Enter(t.Context(), "many")
		testenv.Check(t, isBusy(err), "one more: %v", err)
		hangUp()
		for range lineMost {
			err := <-answers
			testenv.Check(t, errors.Is(err, context.Canceled), "hung up: %v", err)
		}
		began := time.Now()
		_, err = turns.Enter(t.Context(), "late")
		testenv.Check(t, isBusy(err) && time.Since(began) == turnWait, "after %s: %v", time.Since(began), err)
		leave()
		again := testenv.Must(turns.Enter(t.Context(), "late"))(t)
		again()
		testenv.Check(t, turns.free == 1 && turns.waiting == 0, "in the end %d free, %d waiting", turns.free, turns.waiting)
	})
}

// At ten times the calls that can be answered, of a hundred callers or of
// thousands, as many are answered as otherwise, and the others are refused at
// once. Afterwards a caller's two hundred calls wait as they do on any day.
func TestTurnsUnderOverload(t *testing.T) {
	t.Parallel()
	for _, callers := range []int{100, 5000} {
		synctest.Test(t, func(t *testing.T) { turnsUnderOverload(t, callers) })
	}
}

func turnsUnderOverload(t *testing.T, callers int) {
	t.Helper()
	turns := NewTurns(4, prometheus.NewRegistry()) // at 10 ms a call that is 400 a second
	var mu sync.Mutex
	answered, latest := 0, time.Duration(0)
	began := time.Now()
	call := func(who string) error {
		came := time.Now()
		leave, err := turns.Enter(t.Context(), who)
		mu.Lock()
		if came.Sub(began) > 5*time.Second {
			if err == nil {
				answered++
			} else {
				latest = max(latest, time.Since(came))
			}
		}
		mu.Unlock()
		if err == nil {
			time.Sleep(10 * time.Millisecond)
			leave()
		}
		return err
	}
	for n := range 15 * 4000 {
		go func() { _ = call(fmt.Sprint(n % callers)) }()
		time.Sleep(time.Second / 4000)
	}
	time.Sleep(turnWait)
	synctest.Wait()
	testenv.Check(t, answered >= 10*400*8/10 && latest <= 100*time.Millisecond,
		"%d callers: %d of 4000 answered, refused after up to %s", callers, answered, latest)
	for range 20 { // calls come one by one for some seconds
		testenv.NoError(t, call("one"))
		time.Sleep(time.Second / 4)
	}
	errs := testenv.AtOnce(200, func(int) error { return call("one") })
	n := len(slices.DeleteFunc(errs, func(err error) bool { return err == nil }))
	testenv.Check(t, n == 0, "%d of 200 calls were refused when all was well again", n)
}

func isBusy(err error) bool {
	f := fault.As(err)
	return f != nil && f.Code == "busy" && f.RetryAfter > 0
}

// However calls come and go, what was let in is let out, and nobody is lost.
func TestTurnsUnderLoad(t *testing.T) {
	t.Parallel()
	turns := NewTurns(3, prometheus.NewRegistry())
	done := make(chan error, 200)
	for n := range 200 {
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n%7)*time.Millisecond+time.Millisecond)
			defer cancel()
			leave, err := turns.Enter(ctx, fmt.Sprint(n%5))
			if err == nil {
				time.Sleep(100 * time.Microsecond)
				leave()
			}
			done <- err
		}()
	}
	for range 200 {
		err := <-done
		testenv.Check(t, err == nil || errors.Is(err, context.DeadlineExceeded), "%v", err)
	}
	if leave, err := turns.Enter(t.Context(), "last"); err != nil {
		t.Error(err)
	} else {
		leave()
	}
	testenv.Check(t, turns.free == 3 && turns.waiting == 0, "%d of 3 are free, %d wait", turns.free, turns.waiting)
}
