package main

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// What waits is counted: settlements and deliveries.
func TestQueuesAreCounted(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	metrics := prometheus.NewRegistry()
	watchQueues(metrics, d.Queries())
	wantGauges(t, metrics, map[string]float64{"gateway_settlements_waiting": 0, "gateway_webhook_deliveries_queued": 0})
	for _, sql := range []string{
		"insert into settlement_due (merchant_id, payment_id, currency, since) select 1, n, 'RUB', now() from generate_series(1, 3) n",
		`insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
			select 1, gen_random_uuid(), 'shop.example', now(), 0 from generate_series(1, 2)`,
	} {
		if _, err := d.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	wantGauges(t, metrics, map[string]float64{"gateway_settlements_waiting": 3, "gateway_webhook_deliveries_queued": 2})
	d.Pool.Close()
	wantGauges(
		t,
		metrics,
		map[string]float64{"gateway_settlements_waiting": -1, "gateway_webhook_deliveries_queued": -1},
	)
}

func wantGauges(t *testing.T, metrics prometheus.Gatherer, want map[string]float64) {
	t.Helper()
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(families) != len(want) {
		t.Errorf("%d metrics, want %d", len(families), len(want))
	}
	for _, family := range families {
		if got := family.GetMetric()[0].GetGauge().GetValue(); got != want[family.GetName()] {
			t.Errorf("%s is %v, want %v", family.GetName(), got, want[family.GetName()])
		}
	}
}
