// Package rate has the fiat price of a USDT, and calculates what a payment is
// worth: spot, the merchant's amount, and the parts of the spread.
package rate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
	"gateway.example/internal/money"
)

// Base is a currency's base rate, fiat per 1 USDT.
type Base struct {
	FiatPerUSDT decimal.Decimal
	// Source is "operator", or a feed.
	Source     string
	ObservedAt time.Time
	// Fresh is false if this is only the last known rate.
	Fresh bool
}

// ErrNone means that the currency never had a rate.
var ErrNone = errors.New("no rate is known")

// Current returns the currency's base rate, or the last known one, marked as
// not fresh.
func Current(ctx context.Context, q *db.Queries, currency string, now time.Time) (Base, error) {
	var rates Rates
	if err := db.Run(ctx, q, Read(&rates, &currency)); err != nil {
		return Base{}, fmt.Errorf("read the rate: %w", err)
	}
	return rates.InUse(now)
}

// Rates are the rates of one currency, one for each source.
type Rates []db.RateListRow

// Read reads the rates of a currency, or of all.
func Read(rates *Rates, currency *string) db.Query {
	return db.One((*[]db.RateListRow)(rates), (*db.Queries).RateList, currency)
}

// InUse is the rate for a currency's payments: the fresh rate with the lowest
// priority or, if none is fresh, the last known one.
//
//rule:which rate is in use, and when there is none
func (r Rates) InUse(now time.Time) (Base, error) {
	if len(r) == 0 {
		return Base{}, ErrNone
	}
	used := slices.MinFunc(r, order(now))
	return Base{
		FiatPerUSDT: used.FiatPerUSDT,
		Source:      used.Source,
		ObservedAt:  used.ObservedAt,
		Fresh:       fresh(used, now),
	}, nil
}

func fresh(r db.RateListRow, now time.Time) bool {
	return r.Endless || !r.Withdrawn && r.StaleAt.After(now)
}

// order sorts the rate in use first.
func order(now time.Time) func(a, b db.RateListRow) int {
	return func(a, b db.RateListRow) int {
		byAge := cmp.Or(first(!a.Withdrawn, !b.Withdrawn), b.ObservedAt.Compare(a.ObservedAt), cmp.Compare(a.Source, b.Source))
		if fresh(a, now) && fresh(b, now) {
			return cmp.Or(cmp.Compare(a.Priority, b.Priority), byAge)
		}
		return cmp.Or(first(fresh(a, now), fresh(b, now)), byAge)
	}
}

// first compares two values by a property; those that have it come first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Terms are the percents of a calculation.
type Terms struct {
	// Markup is added to the base rate.
	Markup decimal.Decimal
	// TraderShare is the trader's part of the spread, as a percent of spot.
	TraderShare decimal.Decimal
}

// The sources of a markup, as a payment stores them.
const (
	MarkupBody          = "body"
	MarkupCashboxMethod = "cashbox_method"
	MarkupMerchant      = "merchant"
	MarkupTrader        = "trader"
	MarkupConfiguration = "configuration"
)

// Markups are the percents that may apply. Pick has their documented order.
type Markups struct {
	Body, CashboxMethod, Merchant, Trader decimal.NullDecimal
	Configuration                         decimal.Decimal
}

// Pick returns the first percent that is set, and its source.
//
//rule:which markup a payment gets
func (m Markups) Pick() (percent decimal.Decimal, source string) {
	for _, ranked := range []struct {
		percent decimal.NullDecimal
		source  string
	}{
		{m.Body, MarkupBody}, {m.CashboxMethod, MarkupCashboxMethod},
		{m.Merchant, MarkupMerchant}, {m.Trader, MarkupTrader},
	} {
		if ranked.percent.Valid {
			return ranked.percent.Decimal, ranked.source
		}
	}
	return m.Configuration, MarkupConfiguration
}

// Quote is the worth of a fiat amount in USDT, each with 8 decimals.
type Quote struct {
	// Spot is the amount at the base rate.
	Spot decimal.Decimal
	// Amount is what the merchant gets.
	Amount decimal.Decimal
	// Profit is the spread: spot minus amount.
	Profit         decimal.Decimal
	SpreadTrader   decimal.Decimal
	SpreadPlatform decimal.Decimal
}

// Hold is how much of the trader's USDT is held: spot less their share.
func (q Quote) Hold() decimal.Decimal { return q.Spot.Sub(q.SpreadTrader) }

var hundred = decimal.NewFromInt(100)

// Calculate calculates the worth of a fiat amount. Spot, amount and the
// trader's share are each rounded down to 8 decimals.
//
//rule:what a payment is worth in USDT, and who gets what of its spread
func Calculate(fiat, base decimal.Decimal, terms Terms) Quote {
	spot := quotient(fiat, base)
	// amount = fiat / (base × (1 + markup/100)), rearranged so that only
	// one division rounds.
	amount := quotient(fiat.Mul(hundred), base.Mul(hundred.Add(terms.Markup)))
	profit := spot.Sub(amount)
	share := spot.Mul(terms.TraderShare).Shift(-2).Truncate(money.USDTDecimals)
	trader := decimal.Min(profit, share)
	return Quote{Spot: spot, Amount: amount, Profit: profit, SpreadTrader: trader, SpreadPlatform: profit.Sub(trader)}
}

// quotient divides and rounds towards 0 to 8 decimals.
func quotient(a, b decimal.Decimal) decimal.Decimal {
	q, _ := a.QuoRem(b, money.USDTDecimals)
	return q
}
