package rate

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/money"
)

// SourceOperator is the source of a rate that was set by hand.
const SourceOperator = "operator"

// priorityOperator is lower than every feed's, so a rate set by hand comes
// first.
const priorityOperator = 0

// maxValid limits how long a rate may stay fresh: ten years.
const maxValid = 10 * 365 * 24 * 3600

// The range of rates that the database can store.
var (
	minFiat = decimal.New(1, -money.USDTDecimals)
	maxFiat = decimal.NewFromInt(999_999_999_999)
)

// Settings sets and lists rates and feeds for operators. Every change is in the
// log of settings.
type Settings struct {
	pool  db.Beginner
	q     *db.Queries
	clock clock.Clock
	// FourEyes says when setting a rate takes two operators.
	FourEyes foureyes.Rules
	// addresses decides which addresses feeds may have.
	addresses Addresses
}

func NewSettings(pool db.Pool, c clock.Clock, addresses Addresses, rules foureyes.Rules) *Settings {
	return &Settings{pool: pool, q: db.New(pool), clock: c, addresses: addresses, FourEyes: rules}
}

// Approved returns the service for use inside the transaction in which a second
// operator approves a change. It does not ask for another approval.
func (s *Settings) Approved(tx pgx.Tx) *Settings {
	within := *s
	within.pool, within.q, within.FourEyes = tx, db.New(tx), foureyes.Rules{}
	return &within
}

// Manual is a rate that an operator sets.
type Manual struct {
	Currency    string
	FiatPerUSDT string
	// ValidSeconds is how long it stays fresh; nil is for ever.
	ValidSeconds *int64
	// Seen is the version of the rate by hand that the change expects; ""
	// expects any.
	Seen string
}

// Version is the version of a currency's rate by hand.
func (s *Settings) Version(ctx context.Context, currency string) (string, error) {
	set, err := s.q.RateSetting(ctx, db.RateSettingParams{Currency: currency, Source: SourceOperator})
	return db.VersionOf(set), fault.Doing("read the rate by hand", db.IgnoreNoRows(err))
}

// Set sets a currency's rate by hand. While it is fresh it takes precedence
// over every feed.
func (s *Settings) Set(ctx context.Context, who caller.Caller, m Manual) (Known, error) {
	if err := who.Need(caller.OperatorRates); err != nil {
		return Known{}, err
	}
	fiat, err := checkManual(ctx, m)
	if err != nil {
		return Known{}, err
	}
	now := s.clock.Now()
	params := db.RateSetParams{
		Currency: m.Currency, FiatPerUSDT: fiat, Source: SourceOperator, Priority: priorityOperator, ObservedAt: now,
	}
	if m.ValidSeconds != nil {
		until := now.Add(time.Duration(*m.ValidSeconds) * time.Second)
		params.StaleAt = &until
	}
	change := db.SettingChange{At: now, Actor: who.Actor(), Subject: "rate", SubjectKey: m.Currency}
	_, err = db.ChangeSetting(ctx, s.pool, change, db.Setting{
		New:  true,
		Seen: m.Seen,
		Read: func(q *db.Queries) ([]byte, error) {
			if err := q.RateSettingLock(ctx, m.Currency); err != nil {
				return nil, err
			}
			return q.RateSetting(ctx, db.RateSettingParams{Currency: m.Currency, Source: SourceOperator})
		},
		Apply: func(q *db.Queries) error {
			b, err := bandOf(ctx, q, m.Currency, s.FourEyes, now)
			if err != nil {
				return err
			}
			if err := s.FourEyes.Deviating(b.Distance(fiat), b.Percent); err != nil {
				return err
			}
			if err := b.anchor(ctx, q, now, s.FourEyes.On); err != nil {
				return err
			}
			return q.RateSet(ctx, params)
		},
	})
	if err != nil {
		return Known{}, err
	}
	return s.find(ctx, m.Currency, SourceOperator)
}

func checkManual(ctx context.Context, m Manual) (decimal.Decimal, error) {
	f := fault.Decoded(ctx)
	checkCurrency(f, "currency", m.Currency)
	fiat := checkDecimal(f, "fiatPerUsdt", m.FiatPerUSDT, money.USDTDecimals, minFiat, maxFiat)
	if m.ValidSeconds != nil {
		f.Check(*m.ValidSeconds >= 1 && *m.ValidSeconds <= maxValid, "validSeconds", "must be between 1 and %d", maxValid)
	}
	return fiat, f.Err()
}

func checkCurrency(f fault.Fields, field, currency string) {
	if f.Required(field, currency) {
		f.Check(slices.Contains(catalogue.Currencies, currency), field, "is not a currency that is known here")
	}
}

// checkDecimal parses a plain decimal within bounds.
func checkDecimal(
	f fault.Fields,
	field, literal string,
	decimals int,
	lowest, highest decimal.Decimal,
) decimal.Decimal {
	if !f.Required(field, literal) {
		return decimal.Zero
	}
	d, err := money.Parse(literal, decimals)
	if err != nil {
		f.Add(field, "%s", err)
		return decimal.Zero
	}
	f.Check(!d.LessThan(lowest) && !d.GreaterThan(highest), field, "must be between %s and %s", lowest, highest)
	return d
}
