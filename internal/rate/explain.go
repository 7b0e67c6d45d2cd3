package rate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/catalogue"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
)

// Step is one line of the calculation of a payment's sums.
type Step struct {
	Name string
	// Formula is how the value is calculated, first in names and then in
	// numbers.
	Formula string
	Value   string
}

// Answer explains the calculation of a payment's worth.
type Answer struct {
	PaymentID int64
	// RateSource and RateObservedAt belong to the base rate. While
	// RateUnavailable, that rate is not fresh.
	RateSource      string
	RateObservedAt  *time.Time
	RateUnavailable bool
	// MarkupSource is who set the percent.
	MarkupSource string
	Steps        []Step
}

// Explainer explains to operators how payments are calculated.
type Explainer struct {
	q     *db.Queries
	clock clock.Clock
	// markup is the configured percent, and inForce returns the rate that
	// payments in a currency use now.
	markup  decimal.Decimal
	inForce func(currency string, now time.Time) (Base, error)
}

func NewExplainer(
	pools db.Pools, c clock.Clock, markup decimal.Decimal, inForce func(currency string, now time.Time) (Base, error),
) *Explainer {
	return &Explainer{q: db.New(pools.Reads), clock: c, markup: markup, inForce: inForce}
}

// Payment lists the calculation of a payment's sums step by step, from what the
// payment stored.
func (e *Explainer) Payment(ctx context.Context, who caller.Caller, id int64) (Answer, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Answer{}, err
	}
	p, err := e.q.PaymentFind(ctx, id)
	if err != nil {
		return Answer{}, db.Missing(err, fault.ErrNotFound, "find payment")
	}
	return answerOf(p), nil
}

// Question describes a payment that is only calculated.
type Question struct {
	Currency, Amount string
	// Markup is the percent; "" is the configured one.
	Markup string
	// TraderShare is the trader's part of the spread, as a percent of spot;
	// "" is 0.
	TraderShare string
}

// Quote calculates step by step what a payment would be worth now.
func (e *Explainer) Quote(ctx context.Context, who caller.Caller, r Question) (Answer, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Answer{}, err
	}
	f := fault.Decoded(ctx)
	f.Check(slices.Contains(catalogue.Currencies, r.Currency), "currency", "is not a currency that is known here")
	p := db.Payment{
		Amount:        fault.Read(f, "amount", r.Amount, money.ParseFiat),
		MarkupPercent: e.markup, MarkupSource: MarkupConfiguration,
	}
	if r.Markup != "" {
		p.MarkupPercent, p.MarkupSource = fault.Read(f, "markup", r.Markup, money.ParsePercent), MarkupBody
	}
	if r.TraderShare != "" {
		p.TraderSharePercent = fault.Read(f, "traderShare", r.TraderShare, money.ParsePercent)
	}
	if err := f.Err(); err != nil {
		return Answer{}, err
	}
	base, err := e.inForce(r.Currency, e.clock.Now())
	if err != nil {
		return Answer{}, fault.Fields{"currency": {"has no rate"}}.Err()
	}
	p.BaseRate, p.RateSource, p.RateObservedAt = base.FiatPerUSDT, base.Source, &base.ObservedAt
	p.RateUnavailable = !base.Fresh
	return answerOf(quoted(p)), nil
}

// quoted is the payment with its sums calculated.
func quoted(p db.Payment) db.Payment {
	quote := Calculate(p.Amount, p.BaseRate, Terms{Markup: p.MarkupPercent, TraderShare: p.TraderSharePercent})
	p.AmountUSDT, p.ProfitUSDT, p.HoldUSDT = quote.Amount, quote.Profit, quote.Hold()
	p.SpreadTraderUSDT, p.SpreadPlatformUSDT = quote.SpreadTrader, quote.SpreadPlatform
	return p
}

func answerOf(p db.Payment) Answer {
	return Answer{
		PaymentID: p.ID, RateSource: p.RateSource, RateObservedAt: p.RateObservedAt, RateUnavailable: p.RateUnavailable,
		MarkupSource: p.MarkupSource, Steps: rateSteps(p),
	}
}

// WaitingMost is how many payments Waiting lists.
const WaitingMost = 100

// Waiting is a completed payment that waits for a fresh rate to be settled.
type Waiting struct {
	PaymentID        int64
	Method, Currency string
	Amount           decimal.Decimal
	Since            time.Time
}

// Waiting lists the payments that wait for a rate, the oldest first, and says
// whether there are more.
func (e *Explainer) Waiting(ctx context.Context, who caller.Caller) (list []Waiting, more bool, err error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return nil, false, err
	}
	rows, err := e.q.SettlementDueWaiting(ctx, WaitingMost+1)
	if err != nil {
		return nil, false, fmt.Errorf("list what waits for a rate: %w", err)
	}
	more = len(rows) > WaitingMost
	for _, row := range rows[:min(len(rows), WaitingMost)] {
		list = append(list, Waiting{
			PaymentID: row.PaymentID, Method: row.Method, Currency: row.Currency, Amount: row.Amount, Since: row.Since,
		})
	}
	return list, more, nil
}

// rateSteps explains the calculation. It shows the stored values and does not
// calculate them again: if a formula ever disagreed with them, the difference
// would be visible.
func rateSteps(p db.Payment) []Step {
	spot := p.AmountUSDT.Add(p.ProfitUSDT)
	share := spot.Mul(p.TraderSharePercent).Shift(-2).Truncate(money.USDTDecimals)
	name, amount, base := "amount", money.Fiat(p.Amount), money.Rate(p.BaseRate)
	if p.SettledAmount.Valid {
		name, amount = "receivedAmount", money.Fiat(p.SettledAmount.Decimal)
	}
	markup, percent := money.Plain(p.MarkupPercent), money.Plain(p.TraderSharePercent)
	step := func(name, names, numbers string, value decimal.Decimal) Step {
		return Step{Name: name, Formula: names + " = " + numbers, Value: money.USDT(value)}
	}
	steps := []Step{
		{Name: "baseRate", Formula: baseFormula(p), Value: base},
		{Name: "markupPercent", Formula: "percent of the base rate, from " + p.MarkupSource, Value: markup},
		step("spot", name+" / baseRate, rounded down", amount+" / "+base, spot),
		step("amountUsdt", name+" / (baseRate × (1 + markupPercent / 100)), rounded down",
			fmt.Sprintf("%s / (%s × (1 + %s / 100))", amount, base, markup), p.AmountUSDT),
		step("profitUsdt", "spot − amountUsdt", money.USDT(spot)+" − "+money.USDT(p.AmountUSDT), p.ProfitUSDT),
		step("traderShare", "spot × traderSharePercent / 100, rounded down", money.USDT(spot)+" × "+percent+" / 100", share),
		step("spreadTraderUsdt", "min(profitUsdt, traderShare)",
			fmt.Sprintf("min(%s, %s)", money.USDT(p.ProfitUSDT), money.USDT(share)), p.SpreadTraderUSDT),
		step("spreadPlatformUsdt", "profitUsdt − spreadTraderUsdt",
			money.USDT(p.ProfitUSDT)+" − "+money.USDT(p.SpreadTraderUSDT), p.SpreadPlatformUSDT),
	}
	if !p.DifferenceUSDT.IsZero() {
		steps = append(steps, step("differenceUsdt", "(receivedAmount − amount) / baseRate, rounded towards 0",
			fmt.Sprintf("(%s − %s) / %s", money.Fiat(p.ReceivedAmount.Decimal), amount, base), p.DifferenceUSDT))
	}
	return append(steps, holdStep(p, spot))
}

func baseFormula(p db.Payment) string {
	if p.RateUnavailable {
		return "fiat per USDT, the last known from " + p.RateSource + ": no rate is fresh, so this sum gives the hold only, " +
			"and is made again at the first fresh rate"
	}
	return "fiat per USDT, from " + p.RateSource
}

// holdStep says how much of the trader's USDT is held. A payment that was
// settled late was held at another rate, which is not stored.
func holdStep(p db.Payment, spot decimal.Decimal) Step {
	step := Step{
		Name: "hold", Value: money.USDT(p.HoldUSDT),
		Formula: "spot − spreadTraderUsdt = " + money.USDT(spot) + " − " + money.USDT(p.SpreadTraderUSDT),
	}
	if p.SettledAmount.Valid {
		step.Formula = "held at creation for the amount asked for"
	} else if !spot.Sub(p.SpreadTraderUSDT).Equal(p.HoldUSDT) {
		step.Formula = "held at creation at the rate last known then, before the settlement at the base rate above"
	}
	return step
}
