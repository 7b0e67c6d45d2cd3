package routing

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// These stand in place of a rule if no rule dropped a candidate: the pool is
// empty, or the currency never had a rate.
const (
	noRequisite = "no_requisite"
	NoRate      = "no_rate"
)

// rules are all rules, in the order in which they are checked.
var rules = []Rule{
	noRequisite,
	TraderOff,
	TraderBreak,
	RequisiteOff,
	OwnOff,
	AmountLimits,
	WorkingHours,
	DailyCount,
	DailySum,
	OpenLimit,
	SlotTaken,
	TraderShort,
}

// Closest is the rule that dropped the last candidate: without it the payment
// would have got a requisite.
func (e *NoneError) Closest() Rule {
	closest := Rule(noRequisite)
	for _, rule := range rules {
		if e.Dropped[rule] > 0 {
			closest = rule
		}
	}
	return closest
}

// refusalKey is what refusals are counted by.
type refusalKey struct {
	hour             time.Time
	merchantID       int64
	currency, method string
	cause            Rule
}

// Refusals counts the payments that found no requisite, by the rule that
// dropped the last candidate. Creating a payment only counts in memory; Keep
// stores the counts.
type Refusals struct {
	q     *db.Queries
	clock clock.Clock
	total *prometheus.CounterVec

	mu sync.Mutex
	// counts are the counts that are not stored yet.
	counts map[refusalKey]int64
}

// NewRefusals makes the counts, which are also exported as a metric.
func NewRefusals(pools db.Pools, c clock.Clock, metrics prometheus.Registerer) *Refusals {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_routing_refusals_total",
		Help: "Payments without a requisite, by the rule that dropped the closest candidate.",
	}, []string{"currency", "method", "rule"})
	metrics.MustRegister(total)
	return &Refusals{q: db.New(pools.Reads), clock: c, total: total, counts: map[refusalKey]int64{}}
}

// Tell counts and logs that a merchant's payment found no requisite, and why.
// It does nothing on a nil receiver.
func (r *Refusals) Tell(ctx context.Context, merchantID int64, want Want, closest Rule, dropped map[Rule]int) {
	if r == nil {
		return
	}
	candidates := 0
	for _, n := range dropped {
		candidates += n
	}
	r.total.WithLabelValues(want.Currency, want.Method, string(closest)).Inc()
	r.add(refusalKey{
		hour: want.Now.UTC().Truncate(time.Hour), merchantID: merchantID, currency: want.Currency, method: want.Method, cause: closest,
	}, 1)
	slog.InfoContext(ctx, "no requisite", "currency", want.Currency, "method", want.Method, "merchant_id", merchantID,
		"closest", closest, "candidates", candidates, "dropped", dropped)
}

func (r *Refusals) add(key refusalKey, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts[key] += n
}

func (r *Refusals) take() map[refusalKey]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.counts
	r.counts = map[refusalKey]int64{}
	return taken
}

// refusalsKept is how long counts of refusals are kept.
const refusalsKept = 7 * 24 * time.Hour

// Keep stores the refusals that this process has counted, and deletes old ones.
// If storing fails, the counts are stored by a later call.
func (r *Refusals) Keep(ctx context.Context, pool db.Pool) error {
	taken := r.take()
	if len(taken) == 0 {
		return nil
	}
	var params db.RefusalHourAddParams
	for key, n := range taken {
		params.Hours, params.Merchants = append(params.Hours, key.hour), append(params.Merchants, key.merchantID)
		params.Currencies, params.Methods = append(params.Currencies, key.currency), append(params.Methods, key.method)
		params.Causes, params.Refusals = append(params.Causes, string(key.cause)), append(params.Refusals, n)
	}
	q := db.New(pool)
	if err := q.RefusalHourAdd(ctx, params); err != nil {
		for key, n := range taken {
			r.add(key, n)
		}
		return fmt.Errorf("keep refusals: %w", err)
	}
	return q.RefusalHourPrune(ctx, r.clock.Now().Add(-refusalsKept))
}

// RefusalHour is how many payments of a merchant found no requisite in an hour,
// by the rule that dropped the last candidate.
type RefusalHour struct {
	Hour             time.Time
	MerchantID       int64
	Merchant         string
	Currency, Method string
	Cause            string
	Refusals         int64
}

// refusalRows is how many rows List returns at most.
const refusalRows = 500

// List lists the refusals of the last 24 hours, the newest hour first.
func (r *Refusals) List(ctx context.Context, who caller.Caller) ([]RefusalHour, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, err
	}
	rows, err := r.q.RefusalHourList(ctx, db.RefusalHourListParams{
		Since: r.clock.Now().Add(-24 * time.Hour).Truncate(time.Hour), Page: refusalRows,
	})
	if err != nil {
		return nil, fmt.Errorf("list refusals: %w", err)
	}
	return db.Each(rows, func(row db.RefusalHourListRow) RefusalHour { return RefusalHour(row) }), nil
}
