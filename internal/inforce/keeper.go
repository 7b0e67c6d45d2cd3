// Package inforce caches the settings by which payments are made: shops,
// methods, limits, rates, requisites, traders' terms, and blocked payers. What
// internal/directory writes is in force here within a second.
package inforce

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/block"
	"gateway.example/internal/db"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
)

const (
	// Usable is how old the settings in memory may be when a payment is
	// created. So a switch that is turned off is off everywhere within a
	// second.
	Usable = time.Second
	// renewTimeout limits a renewal. Callers who wait for it then get an
	// error.
	renewTimeout = 5 * time.Second
)

// Keeper keeps in memory the settings that payments are created by: shops,
// limits, rates, requisites and the terms of their traders. Every change in the
// database raises one version number. The keeper reads the number, and then
// what has changed since the version it knows.
type Keeper struct {
	pool   db.Pool
	usable time.Duration
	// renewing is held during a renewal, so that only one runs at a time.
	renewing sync.Mutex

	mu sync.RWMutex
	// version is the number up to which all changes are known, and
	// serverSince is the start time of the database server that reported
	// it.
	version     int64
	serverSince time.Time
	// current is when the memory was last known to be up to date.
	current    time.Time
	requisites *routing.Requisites
	merchants  map[int64]merchant
	cashboxes  map[int64]*cashbox
	limits     map[string]db.PlatformLimit
	rates      map[string]rate.Rates
	blocks     block.List
}

type merchant struct {
	apiEnabled      bool
	maxOpenPayments int32
	// cashboxes are the ids of the merchant's cashboxes, in order.
	cashboxes []int64
}

type cashbox struct {
	db.CashboxesSinceRow
	methods map[string]db.CashboxMethodsSinceRow
}

// NewKeeper reads all settings. They may be used for the duration usable after
// they were last known to be up to date; a later caller renews them first.
// Metrics may be nil.
func NewKeeper(
	ctx context.Context,
	pool db.Pool,
	usable time.Duration,
	metrics prometheus.Registerer,
) (*Keeper, error) {
	k := &Keeper{
		pool: pool, usable: usable, requisites: routing.NewRequisites(),
		merchants: map[int64]merchant{}, cashboxes: map[int64]*cashbox{}, blocks: block.List{},
	}
	if metrics != nil {
		metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "gateway_settings_age_seconds",
			Help: "How long ago the settings in memory were last found to be current.",
		}, func() float64 { return k.age().Seconds() }), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "gateway_settings_version", Help: "The version of the settings in memory.",
		}, func() float64 { return float64(k.Version()) }))
	}
	_, err := k.Renew(ctx)
	return k, err
}

// Requisites are the requisites to choose from. One choice must use the same
// value from beginning to end, because the keeper replaces it if the database
// was restored or another server took over.
func (k *Keeper) Requisites() *routing.Requisites {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.requisites
}

// Version is the number up to which all changes are known.
func (k *Keeper) Version() int64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.version
}

func (k *Keeper) age() time.Duration {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return time.Since(k.current)
}

// Current makes sure that the settings may be used, and renews them if they are
// too old. If the database cannot be read, it returns db.ErrUnavailable.
func (k *Keeper) Current(ctx context.Context) error {
	asked := time.Now()
	if k.age() < k.usable {
		return nil
	}
	k.renewing.Lock()
	defer k.renewing.Unlock()
	k.mu.RLock()
	renewed := k.current.After(asked)
	k.mu.RUnlock()
	if renewed { // by somebody who waited less long
		return nil
	}
	if _, err := k.renew(ctx); err != nil {
		return fmt.Errorf("%w: %w", db.ErrUnavailable, err)
	}
	return nil
}

// Renew reads what has changed, and reports whether anything has. Only one
// renewal runs at a time.
func (k *Keeper) Renew(ctx context.Context) (bool, error) {
	k.renewing.Lock()
	defer k.renewing.Unlock()
	return k.renew(ctx)
}

// renew reads the version, and what has changed since the known one, and
// reports whether anything has. The caller holds renewing. If it fails the
// memory stays as it was and grows older, until Current no longer lets it be
// used.
func (k *Keeper) renew(ctx context.Context) (bool, error) {
	// The age counts from before the query, so that a change during it is
	// noticed in time.
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	now, err := db.New(k.pool).SettingVersion(ctx)
	if err != nil {
		return false, fmt.Errorf("ask for the version of the settings: %w", err)
	}
	known, same := k.Version(), now.ServerSince.Equal(k.serverSince)
	if now.Version == known && same {
		k.mu.Lock()
		k.current = asked
		k.mu.Unlock()
		return false, nil
	}
	// If another server answers, or the number is lower, a standby without
	// the last changes may have become the primary, or a backup was
	// restored. Some rows may be gone and nothing says which, so everything
	// is read again.
	anew, requisites := !same || now.Version < known, k.Requisites()
	if anew {
		known, requisites = 0, routing.NewRequisites()
	}
	// Every change takes a number of its own under a lock: once a number is
	// visible, all lower ones are committed.
	var n renewal
	if err := db.Pipeline(ctx, k.pool, n.queries(known+1)...); err != nil {
		return false, fmt.Errorf("read the settings: %w", err)
	}
	requisites.Renew(&n.requisites)
	k.mu.Lock()
	defer k.mu.Unlock()
	if anew {
		k.merchants, k.cashboxes, k.blocks = map[int64]merchant{}, map[int64]*cashbox{}, block.List{}
	}
	k.requisites = requisites
	k.take(n)
	k.version, k.serverSince, k.current = now.Version, now.ServerSince, asked
	return true, nil
}

// renewal is what has changed since a version. Limits and rates are always read
// as a whole.
type renewal struct {
	merchants  []db.MerchantsSinceRow
	cashboxes  []db.CashboxesSinceRow
	methods    []db.CashboxMethodsSinceRow
	limits     []db.PlatformLimit
	rates      rate.Rates
	blocks     []db.PayerBlocksSinceRow
	requisites routing.Renewal
}

func (n *renewal) queries(version int64) []db.Query {
	return append(n.requisites.Queries(version),
		db.One(&n.merchants, (*db.Queries).MerchantsSince, version),
		db.One(&n.cashboxes, (*db.Queries).CashboxesSince, version),
		db.One(&n.methods, (*db.Queries).CashboxMethodsSince, version),
		db.One(&n.blocks, (*db.Queries).PayerBlocksSince, version),
		db.Get(&n.limits, (*db.Queries).PlatformLimitList),
		rate.Read(&n.rates, nil),
	)
}

// take puts a renewal into the memory. The caller holds mu. Limits and rates
// are replaced as a whole. Merchants, cashboxes and methods are only added or
// changed: a row that is gone leaves the memory when everything is read anew.
func (k *Keeper) take(n renewal) {
	for _, row := range n.merchants {
		m := k.merchants[row.ID]
		m.apiEnabled, m.maxOpenPayments = row.ApiEnabled, row.MaxOpenPayments
		k.merchants[row.ID] = m
	}
	for _, row := range n.cashboxes {
		box := k.box(row.ID)
		if box.MerchantID == 0 {
			m := k.merchants[row.MerchantID]
			at, _ := slices.BinarySearch(m.cashboxes, row.ID)
			m.cashboxes = slices.Insert(m.cashboxes, at, row.ID)
			k.merchants[row.MerchantID] = m
		}
		box.CashboxesSinceRow = row
	}
	for _, row := range n.methods {
		k.box(row.CashboxID).methods[row.Method] = row
	}
	for _, row := range n.blocks {
		k.blocks.Take(row)
	}
	k.limits, k.rates = map[string]db.PlatformLimit{}, map[string]rate.Rates{}
	for _, row := range n.limits {
		k.limits[row.Currency] = row
	}
	for _, row := range n.rates {
		k.rates[row.Currency] = append(k.rates[row.Currency], row)
	}
}

// box returns a cashbox. It makes an empty one if only a method of it was read
// so far.
func (k *Keeper) box(id int64) *cashbox {
	if k.cashboxes[id] == nil {
		k.cashboxes[id] = &cashbox{methods: map[string]db.CashboxMethodsSinceRow{}}
	}
	return k.cashboxes[id]
}

// Limit is the platform's limits for a currency, or nil if there are none.
func (k *Keeper) Limit(currency string) *db.PlatformLimit {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if limit, ok := k.limits[currency]; ok {
		return &limit
	}
	return nil
}

// Rate is the base rate of a currency. If no rate is fresh, it is the last
// known one, marked as not fresh.
func (k *Keeper) Rate(currency string, now time.Time) (rate.Base, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.rates[currency].InUse(now)
}

// Blocked reports whether a payer with one of these marks is blocked at a
// merchant.
func (k *Keeper) Blocked(merchantID int64, now time.Time, marks ...string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.blocks.Has(merchantID, now, marks...)
}

// MaxOpenPayments is how many pending payments a merchant may have.
func (k *Keeper) MaxOpenPayments(merchantID int64) int32 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.merchants[merchantID].maxOpenPayments
}
