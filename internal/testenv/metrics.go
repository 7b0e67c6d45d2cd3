package testenv

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics returns the values of counters and gauges, by name and label values
// with spaces between.
func Metrics(t testing.TB, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for _, family := range Must(from.Gather())(t) {
		for _, metric := range family.GetMetric() {
			name := family.GetName()
			for _, label := range metric.GetLabel() {
				name += " " + label.GetValue()
			}
			all[name] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	return all
}

// Metric returns one of Metrics. It must exist.
func Metric(t testing.TB, from prometheus.Gatherer, name string) float64 {
	t.Helper()
	all := Metrics(t, from)
	value, there := all[name]
	Need(t, there, "no metric %s in %v", name, all)
	return value
}
