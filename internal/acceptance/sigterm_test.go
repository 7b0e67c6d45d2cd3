package acceptance

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keepCalling calls on a connection that it keeps until it is told to drop it, and answers with
// what went wrong on the way. It would then turn to another replica.
func keepCalling(g *instance, served *atomic.Int64, post bool) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	keeper := &http.Client{Transport: transport, Timeout: patience}
	for {
		method, body := http.MethodGet, ""
		if post {
			method, body = http.MethodPost, order(nil)
		}
		request, err := http.NewRequest(method, g.BaseURL+payments, strings.NewReader(body))
		if err != nil {
			return err
		}
		if !post {
			request.URL.RawQuery = "orderId=none"
		}
		for name, value := range signed(g.first(), body) {
			request.Header.Set(name, value)
		}
		if post {
			request.Header.Set("Content-Type", "application/json")
		}
		response, err := keeper.Do(request)
		if err != nil {
			return err
		}
		content, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != 200 && response.StatusCode != 503 {
			return fmt.Errorf("%d %s %w", response.StatusCode, content, err)
		}
		served.Add(1)
		if response.Close {
			return nil
		}
	}
}

// Clients who keep their connections under load notice nothing of a SIGTERM but that they are told
// to open new ones: no answer is lost and none is an error. New connections are taken until the
// delay is over.
func TestSIGTERMUnderLoad(t *testing.T) {
	t.Parallel()
	v := newVictimOn(t, newDatabase(t), "-drain-delay", "2s")
	var served atomic.Int64
	var calling sync.WaitGroup
	for n := range 8 {
		calling.Go(func() {
			if err := keepCalling(v.instance, &served, n%2 == 0); err != nil {
				t.Error(err)
			}
		})
	}
	noError(t, waitFor(patience, func() error {
		if served.Load() < 200 {
			return errNotYet
		}
		return nil
	}))
	v.cancel()
	signalled := time.Now()
	noError(t, waitFor(patience, func() error {
		if ready("http://"+v.ops) == nil {
			return errors.New("still ready")
		}
		return nil
	}))
	calling.Wait()
	if after := time.Since(signalled); after > 2*time.Second {
		t.Errorf("clients were told to leave only %s after the signal", after)
	}
	newcomer, err := trySend(http.MethodGet, v.BaseURL+payments+"?orderId=none", "", signed(v.first(), ""))
	if err != nil || newcomer.status != 200 {
		t.Errorf("a newcomer: %s %v", newcomer, err)
	}
	if <-v.ended; v.err != nil {
		t.Errorf("it ended with %v\n%s", v.err, v.log.String())
	}
}
