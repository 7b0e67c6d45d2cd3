package alarm

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
)

// scrapeTimeout bounds the read that a scrape of the metrics makes.
const scrapeTimeout = time.Second

var firingDesc = prometheus.NewDesc("gateway_alarm_firing",
	"1 while the alarm of the portal fires, as it was found at most a minute ago.", []string{"alarm"}, nil)

// Metric tells which alarms fire, also those that no metric of their own tells of.
type Metric struct{ q *db.Queries }

// NewMetric makes the metric. It reads what Watch has kept, and asks no rule by itself.
func NewMetric(q *db.Queries) *Metric { return &Metric{q: q} }

// Describe implements prometheus.Collector.
func (*Metric) Describe(out chan<- *prometheus.Desc) { out <- firingDesc }

// Collect implements prometheus.Collector.
func (m *Metric) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	states, err := m.q.AlarmStates(ctx)
	if err != nil {
		slog.WarnContext(ctx, "alarms not measured", "error", err)
		return
	}
	for _, state := range states {
		firing := 0.0
		if state.Firing {
			firing = 1
		}
		out <- prometheus.MustNewConstMetric(firingDesc, prometheus.GaugeValue, firing, state.Name)
	}
}
