package main

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// What waits is counted: settlements and deliveries.
func TestQueuesAreCounted(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	metrics := prometheus.NewRegistry()
	watchQueues(metrics, d.Queries())
	want := func(settlements, deliveries, wait float64) {
		t.Helper()
		wantGauges(t, metrics, map[string]float64{
			"gateway_settlements_waiting": settlements, "gateway_webhook_deliveries_queued": deliveries,
			"gateway_webhook_delivery_wait_seconds": wait,
		})
	}
	want(0, 0, 0)
	for _, sql := range []string{
		"insert into settlement_due (merchant_id, payment_id, currency, since) select 1, n, 'RUB', now() from generate_series(1, 3) n",
		`insert into webhook_delivery (merchant_id, event_id, host, due_at, round)
			select 1, gen_random_uuid(), 'shop.example', now(), 0 from generate_series(1, 2)`,
		// One has waited for 90 s, one is being delivered to, one is not due, and one does not answer.
		`insert into webhook_endpoint (merchant_id, host, due_at, leased_until, slow) values
			(1, 'a', now() - interval '90.2 s', '-infinity', false), (1, 'b', now() - interval '1 h', now() + interval '1 m', false),
			(1, 'c', now() + interval '1 h', '-infinity', false), (1, 'd', now() - interval '1 h', '-infinity', true)`,
	} {
		d.Exec(t, sql)
	}
	want(3, 2, 90)
	d.Pool.Close()
	want(-1, -1, -1)
}

func wantGauges(t *testing.T, metrics prometheus.Gatherer, want map[string]float64) {
	t.Helper()
	families := testenv.Must(metrics.Gather())(t)
	testenv.Want(t, len(families), len(want), "metrics")
	for _, family := range families {
		testenv.Want(t, family.GetMetric()[0].GetGauge().GetValue(), want[family.GetName()], "%s", family.GetName())
	}
}
