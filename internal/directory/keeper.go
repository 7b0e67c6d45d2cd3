package directory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
)

const (
	// Usable is how old what is kept may be that a payment is made by: what is switched off is so
	// everywhere within a second.
	Usable = time.Second
	// renewTimeout bounds a renewal: those who wait for it are told to come again.
	renewTimeout = 5 * time.Second
)

// Keeper keeps the settings: shops, limits, rates, requisites and the terms of their traders. Every
// change raises one number, which the keeper asks for, and then it reads what has changed.
type Keeper struct {
	pool   *pgxpool.Pool
	usable time.Duration
	// renewing has one renewal at a time.
	renewing sync.Mutex

	mu sync.RWMutex
	// version is the one up to which everything is known, and serverSince when the server started that said so.
	version     int64
	serverSince time.Time
	// current is when what is kept was certainly what the database had.
	current    time.Time
	requisites *routing.Requisites
	merchants  map[int64]merchant
	cashboxes  map[int64]*cashbox
	limits     map[string]db.PlatformLimit
	rates      map[string]rate.Rates
}

type merchant struct {
	apiEnabled      bool
	maxOpenPayments int32
	// cashboxes are the ids of its cashboxes, in order.
	cashboxes []int64
}

type cashbox struct {
	db.CashboxesSinceRow
	methods map[string]db.CashboxMethodsSinceRow
}

// NewKeeper reads all settings. What it keeps may be used for so long after it was last found to be
// current, and is renewed by whoever asks for it later. Nil metrics are counted nowhere.
func NewKeeper(
	ctx context.Context,
	pool *pgxpool.Pool,
	usable time.Duration,
	metrics prometheus.Registerer,
) (*Keeper, error) {
	k := &Keeper{
		pool: pool, usable: usable, requisites: routing.NewRequisites(),
		merchants: map[int64]merchant{}, cashboxes: map[int64]*cashbox{},
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

// Requisites are those that a payment chooses among. Whoever chooses stays with these until the choice
// is made: others take their place where the database has gone back.
func (k *Keeper) Requisites() *routing.Requisites {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.requisites
}

// Version is the version up to which everything is known.
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

// Current makes sure that what is kept may be used. Where the database cannot be asked, that is
// db.ErrUnavailable.
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

// Renew reads what has changed, and reports whether anything has.
func (k *Keeper) Renew(ctx context.Context) (bool, error) {
	k.renewing.Lock()
	defer k.renewing.Unlock()
	return k.renew(ctx)
}

func (k *Keeper) renew(ctx context.Context) (bool, error) {
	// The age counts from before the question: what is changed during it is noticed in time.
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
	// Where another server answers, or the version has gone back, a standby that did not have the last changes may have
	// become the primary, or a backup was restored. What was made then is not there any more, and no row says so: all is
	// read into a new memory.
	anew, requisites := !same || now.Version < known, k.Requisites()
	if anew {
		known, requisites = 0, routing.NewRequisites()
	}
	// Whoever changes a setting has a version of their own: all up to the one that is seen have
	// been committed.
	var n renewal
	if err := db.Pipeline(ctx, k.pool, n.queries(known+1)...); err != nil {
		return false, fmt.Errorf("read the settings: %w", err)
	}
	requisites.Renew(&n.requisites)
	k.mu.Lock()
	defer k.mu.Unlock()
	if anew {
		k.merchants, k.cashboxes = map[int64]merchant{}, map[int64]*cashbox{}
	}
	k.requisites = requisites
	k.take(n)
	k.version, k.serverSince, k.current = now.Version, now.ServerSince, asked
	return true, nil
}

// renewal is what has changed since a version; of limits and rates, all.
type renewal struct {
	merchants  []db.MerchantsSinceRow
	cashboxes  []db.CashboxesSinceRow
	methods    []db.CashboxMethodsSinceRow
	limits     []db.PlatformLimit
	rates      rate.Rates
	requisites routing.Renewal
}

func (n *renewal) queries(version int64) []db.Query {
	return append(n.requisites.Queries(version),
		db.One(&n.merchants, (*db.Queries).MerchantsSince, version),
		db.One(&n.cashboxes, (*db.Queries).CashboxesSince, version),
		db.One(&n.methods, (*db.Queries).CashboxMethodsSince, version),
		db.Get(&n.limits, (*db.Queries).PlatformLimitList),
		rate.Read(&n.rates, nil),
	)
}

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
	k.limits, k.rates = map[string]db.PlatformLimit{}, map[string]rate.Rates{}
	for _, row := range n.limits {
		k.limits[row.Currency] = row
	}
	for _, row := range n.rates {
		k.rates[row.Currency] = append(k.rates[row.Currency], row)
	}
}

// box is a cashbox by its id. A method may be read before its cashbox.
func (k *Keeper) box(id int64) *cashbox {
	if k.cashboxes[id] == nil {
		k.cashboxes[id] = &cashbox{methods: map[string]db.CashboxMethodsSinceRow{}}
	}
	return k.cashboxes[id]
}

// Shop is a cashbox as a payment by one of its methods sees it.
type Shop struct {
	CashboxID      int64
	CollectEnabled bool
	// MethodEnabled is false, too, where the method or the payment's currency is not the cashbox's.
	MethodEnabled        bool
	MarginPercent        decimal.NullDecimal
	Validity             time.Duration
	MinAmount, MaxAmount decimal.NullDecimal
	// ReturnHosts are those that a return address may name; none is any.
	ReturnHosts []string
}

// Shop finds the cashbox a payment goes to: the key's own, or of an unbound key's merchant the
// first on which the method is enabled. Nil is none.
func (k *Keeper) Shop(merchantID int64, cashboxID *int64, method, currency string) *Shop {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if cashboxID != nil {
		if box := k.cashboxes[*cashboxID]; box != nil && box.MerchantID == merchantID {
			return box.shop(method, currency)
		}
		return nil
	}
	for _, id := range k.merchants[merchantID].cashboxes {
		if shop := k.cashboxes[id].shop(method, currency); shop.CollectEnabled && shop.MethodEnabled {
			return shop
		}
	}
	return nil
}

func (c *cashbox) shop(method, currency string) *Shop {
	m := c.methods[method]
	return &Shop{
		CashboxID: c.ID, CollectEnabled: c.CollectEnabled, MethodEnabled: m.Enabled && c.Currency == currency,
		MarginPercent: m.MarginPercent, Validity: time.Duration(m.ValiditySeconds) * time.Second,
		MinAmount: m.MinAmount, MaxAmount: m.MaxAmount, ReturnHosts: c.ReturnHosts,
	}
}

// Taken reports whether any cashbox takes payments by a method in a currency.
func (k *Keeper) Taken(method, currency string) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, box := range k.cashboxes {
		if shop := box.shop(method, currency); shop.CollectEnabled && shop.MethodEnabled {
			if k.merchants[box.MerchantID].apiEnabled {
				return true
			}
		}
	}
	return false
}

// Validity is how long a payment by a cashbox's method waits for its payer.
func (k *Keeper) Validity(cashboxID int64, method string) time.Duration {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if box := k.cashboxes[cashboxID]; box != nil {
		return time.Duration(box.methods[method].ValiditySeconds) * time.Second
	}
	return 0
}

// Limit is a currency's limits, or nil where it has none.
func (k *Keeper) Limit(currency string) *db.PlatformLimit {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if limit, ok := k.limits[currency]; ok {
		return &limit
	}
	return nil
}

// Rate is the currency's base rate, or the last known one, marked as not fresh.
func (k *Keeper) Rate(currency string, now time.Time) (rate.Base, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.rates[currency].InUse(now)
}

// MaxOpenPayments is how many payments of a merchant may be pending at the same time.
func (k *Keeper) MaxOpenPayments(merchantID int64) int32 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.merchants[merchantID].maxOpenPayments
}

// Patience is how long a payment waits at least once its payer has said that they have paid.
func (k *Keeper) Patience(cashboxID int64, method string) time.Duration {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if box := k.cashboxes[cashboxID]; box != nil {
		return time.Duration(box.methods[method].ClaimSeconds) * time.Second
	}
	return 0
}

// Cards is how many cards may be tried for one payment.
func (k *Keeper) Cards(cashboxID int64, method string) int {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if box := k.cashboxes[cashboxID]; box != nil {
		return int(box.methods[method].Cards)
	}
	return 1
}

// PayerEvents reports whether the merchant wants to be told what payers say.
func (k *Keeper) PayerEvents(cashboxID int64) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	box := k.cashboxes[cashboxID]
	return box != nil && box.PayerEvents
}
