package alarm

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// scrapeTimeout bounds the read that a scrape of the metrics makes.
const scrapeTimeout = time.Second

var firingDesc = prometheus.NewDesc("gateway_alarm_firing",
	"1 while the alarm of the portal fires, as it was last found.", []string{"alarm"}, nil)

var ageDesc = prometheus.NewDesc("gateway_alarms_age_seconds",
	"Time since the alarm of the portal was looked at that was looked at longest ago.", nil, nil)

// Metric exports which alarms fire, including those that have no metric of
// their own, and whether Watch still runs.
type Metric struct {
	q     *db.Queries
	clock clock.Clock
	began time.Time
}

// NewMetric makes the metric. It reads what Watch has kept and evaluates no
// rule itself.
func NewMetric(q *db.Queries, c clock.Clock) *Metric { return &Metric{q, c, c.Now()} }

// Describe implements prometheus.Collector.
func (*Metric) Describe(out chan<- *prometheus.Desc) {
	out <- firingDesc
	out <- ageDesc
}

// Collect implements prometheus.Collector.
func (m *Metric) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	states, err := m.q.AlarmStates(ctx)
	if err != nil {
		slog.WarnContext(ctx, "alarms not measured", "error", err)
		return
	}
	checked := map[string]time.Time{}
	for _, state := range states {
		firing := 0.0
		if state.Firing {
			firing = 1
		}
		out <- prometheus.MustNewConstMetric(firingDesc, prometheus.GaugeValue, firing, state.Name)
		checked[state.Name] = state.CheckedAt
	}
	now := m.clock.Now()
	var age time.Duration
	for _, rule := range Rules {
		at, there := checked[rule.Name]
		if !there { // as at the first start of all
			at = m.began
		}
		age = max(age, now.Sub(at))
	}
	out <- prometheus.MustNewConstMetric(ageDesc, prometheus.GaugeValue, age.Seconds())
}
