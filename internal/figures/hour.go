package figures

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/db"
)

const (
	// hoursBatch is how many rows of the history one transaction counts,
	// and hoursLimit is how long that transaction may take.
	hoursBatch = 2_000
	hoursLimit = 10 * time.Second
)

// spanBounds are the bounds, in seconds, of the spans by which times to pay are
// counted: the first span is below the first bound, and the last span has no
// end. Hours that were already counted use these bounds, so they can be changed
// only together with a migration that counts everything again.
var spanBounds = []int64{
	15, 30, 45, 60, 90, 120, 150, 180, 240, 300, 360, 420, 480, 600, 720, 900, 1200, 1500, 1800, 2700, 3600, 7200,
	14400, 28800, 86400,
}

// Hours counts payments by the hour of their creation and their status.
type Hours struct {
	pool db.Pool
	came *prometheus.CounterVec
}

// NewHours makes the counter and registers its metrics.
func NewHours(pool db.Pool, metrics prometheus.Registerer) *Hours {
	came := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_payments_total",
		Help: "Payments that came to a status. One that comes to it again counts again.",
	}, []string{"currency", "method", "status"})
	metrics.MustRegister(came)
	return &Hours{pool: pool, came: came}
}

// Count reads on in the history: each row takes the payment away from one
// status and adds it to another. So a later change, by an appeal or a
// correction, changes the hour in which the payment was created.
//
// Each row is counted exactly once: the counts, the position in the history and
// the list of missing ids are written in one transaction, and only one process
// counts at a time. Ids of the history are assigned before a transaction
// commits, so a row can appear below the position later. Each missing id is
// noted and looked for again, until no open transaction can have it.
func (h *Hours) Count(ctx context.Context) error {
	q := db.New(h.pool)
	for {
		waiting, err := q.PaymentHourAny(ctx)
		if err != nil {
			return fmt.Errorf("look for history to count: %w", err)
		}
		if !waiting {
			return nil
		}
		came, err := h.count(ctx)
		if err != nil {
			return fmt.Errorf("count hours: %w", err)
		}
		var counted int64
		for _, row := range came {
			h.came.WithLabelValues(row.Currency, row.Method, row.Status).Add(float64(row.Payments))
			counted += row.Payments
		}
		if counted < hoursBatch {
			return nil
		}
	}
}

// count counts one batch. It does nothing while another process is counting.
func (h *Hours) count(ctx context.Context) (came []db.PaymentHourFoldRow, err error) {
	err = db.InTxWithin(ctx, hoursLimit, h.pool, func(ctx context.Context, _ pgx.Tx, q *db.Queries) error {
		last, err := q.PaymentHourLock(ctx)
		if err != nil {
			came = nil
			return db.IgnoreNoRows(err)
		}
		// This statement begins after the lock was acquired, so it sees
		// everything that was counted before.
		came, err = q.PaymentHourFold(ctx, db.PaymentHourFoldParams{
			LastID: last, Batch: hoursBatch, Bounds: spanBounds,
		})
		if err != nil {
			return err
		}
		return q.PaymentHistoryGapPrune(ctx, db.LateMost.Seconds())
	})
	return came, err
}
