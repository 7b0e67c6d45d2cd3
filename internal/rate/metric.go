package rate

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// Results of polls, as the metric labels them.
const (
	resultGood = "good"
	// resultUnreachable: no answer, or none with status 200.
	resultUnreachable = "unreachable"
	// resultInvalid: an answer without a usable value.
	resultInvalid   = "invalid"
	resultOutOfBand = "out_of_band"
	// resultOutOfDayBand: too far from the median of the last 24 hours.
	resultOutOfDayBand = "out_of_day_band"
	// resultSuperseded: the feed was changed, or claimed again, while the
	// poll was under way.
	resultSuperseded = "superseded"
	// resultFailed: our own failure to store it.
	resultFailed = "failed"
)

func newPolls() *prometheus.CounterVec {
	polls := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_rate_feed_polls_total", Help: "Polls of rate feeds, by how they went.",
	}, []string{"result"})
	for _, result := range []string{
		resultGood, resultUnreachable, resultInvalid, resultOutOfBand, resultOutOfDayBand, resultSuperseded, resultFailed,
	} {
		polls.WithLabelValues(result)
	}
	return polls
}

// scrapeTimeout limits the read for a scrape of the metrics.
const scrapeTimeout = time.Second

var (
	ageDesc = prometheus.NewDesc("gateway_rate_age_seconds",
		"How long ago the rate in use was observed.", []string{"currency"}, nil)
	freshDesc = prometheus.NewDesc("gateway_rate_fresh",
		"1 while the rate in use is fresh; 0 is an alarm: payments are not settled.", []string{"currency"}, nil)
)

// inUse exports the rates in use.
type inUse struct {
	q     *db.Queries
	clock clock.Clock
}

// Describe implements prometheus.Collector.
func (*inUse) Describe(out chan<- *prometheus.Desc) { out <- ageDesc; out <- freshDesc }

// Collect implements prometheus.Collector.
func (u *inUse) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	now := u.clock.Now()
	rates, err := list(ctx, u.q, now)
	if err != nil {
		slog.WarnContext(ctx, "rates not measured", "error", err)
		return
	}
	for _, known := range rates {
		if !known.InUse {
			continue
		}
		fresh := 0.0
		if known.Fresh {
			fresh = 1
		}
		out <- prometheus.MustNewConstMetric(ageDesc, prometheus.GaugeValue, now.Sub(known.ObservedAt).Seconds(), known.Currency)
		out <- prometheus.MustNewConstMetric(freshDesc, prometheus.GaugeValue, fresh, known.Currency)
	}
}
