//go:build unix

package acceptance

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"gateway.example/internal/testenv"
)

// A replica that freezes in the middle of its work, with whatever it has locked, is not felt by
// those who call another: after a few seconds, in which the database ends its transactions,
// creations, moves and reads are what they were.
func TestFrozenReplica(t *testing.T) {
	testenv.Long(t, "loads two gateways for ten seconds, and bounds how long others wait")
	t.Parallel()
	v := restartable(t)
	s := newShop(t, v.first().WebhookSecret)
	frozen := setup{dir: copyKey(t, v.dir), database: v.DatabaseURL}.start(t)
	a := newAcknowledged()
	stop := make(chan struct{})
	var loading sync.WaitGroup
	for range 6 {
		loading.Go(func() { frozen.load(t, a, s.URL, stop) })
	}
	testenv.Until(t, "both replicas have work", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.ids) >= 60
	})
	noError(t, frozen.cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(3 * time.Second)
	var mu sync.Mutex
	var took []time.Duration
	var measuring sync.WaitGroup
	for client := range 4 {
		measuring.Go(func() {
			for n := range 50 {
				body := order(object{"callbackUri": s.URL, "amount": fmt.Sprintf("%d.%02d", 2000+client, n)})
				began := time.Now()
				got, err := trySend(http.MethodPost, v.BaseURL+payments, body, signed(v.first(), body))
				if err != nil || got.status != http.StatusOK {
					t.Errorf("beside a frozen replica: %s, %v", got, err)
					return
				}
				read := send(t, http.MethodGet, v.BaseURL+payments+"/"+got.text("data.id"), "", signed(v.first(), ""))
				if err := ready(v.OpsURL); err != nil || read.status != http.StatusOK {
					t.Errorf("beside a frozen replica: %s, %v", read, err)
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
			}
		})
	}
	measuring.Wait()
	slices.Sort(took)
	if len(took) > 0 {
		p99 := took[len(took)*99/100]
		t.Logf("creation, read and readiness together: median %s, p99 %s", took[len(took)/2], p99)
		if p99 > 3*time.Second { // a machine that is busy with other tests
			t.Errorf("p99 is %s", p99)
		}
	}
	close(stop)
	noError(t, frozen.cmd.Process.Signal(syscall.SIGCONT))
	frozen.kill()
	loading.Wait()
	v.wantAudit(t)
}
