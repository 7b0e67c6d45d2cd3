package payment

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/inforce"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
)

// errOtherAmount refuses another amount than asked for, where the cashbox's method takes none.
var errOtherAmount = fault.Fields{"receivedAmount": {"must be what was asked for: this cashbox takes no other amount"}}.Err()

// arrival is how much of a payment arrived, as its trader says.
type arrival struct {
	amount decimal.Decimal
	// taken settles the payment for what came, and not for what was asked; toPlatform has the platform
	// gain or bear the difference.
	taken, toPlatform bool
}

// errOtherOpen refuses late money that may be another payer's.
var errOtherOpen = fault.New(fault.Refused, "payment_amount_taken",
	"Another open payment on this requisite asks for this amount; or another amount than was asked for came, and the payer has a pending payment there.")

// errMoreUnrated refuses more than was asked for without a rate: nobody can know yet whether the trader has as much USDT.
var errMoreUnrated = fault.Fields{"receivedAmount": {"must not be more than was asked for while there is no rate"}}.Err()

// ConfirmReceived is Confirm, with what came: an amount that is said is kept, and taken as the method
// of the cashbox says. Nil is what the payment waits for.
func (s *Service) ConfirmReceived(ctx context.Context, who caller.Caller, id int64, said *string) (Payment, error) {
	return s.ConfirmCame(ctx, who, id, Came{Amount: said})
}

// ConfirmCame is ConfirmReceived with all that is to be said of it. An amount that the method of the cashbox
// does not take makes a case of the payment: see DecideCase.
func (s *Service) ConfirmCame(ctx context.Context, who caller.Caller, id int64, said Came) (Payment, error) {
	found, err := s.findTraders(ctx, who, id)
	if err != nil {
		return Payment{}, err
	}
	w := wordOf(fault.Decoded(ctx), said, s.clock.Now())
	came, err := receivedAmount(ctx, found, said.Amount)
	if err != nil {
		return Payment{}, err
	}
	if came.Valid || Status(found.Status) != Pending {
		// What is taken is decided by settings that may just have been changed.
		if _, err := s.settings.Renew(ctx); err != nil {
			return Payment{}, err
		}
	}
	after, err := s.changeStatus(ctx, found, func(q *db.Queries, p db.Payment) (*change, error) {
		w.amount = expected(p)
		if came.Valid {
			w.amount = came.Decimal
		}
		c, err := s.confirmed(ctx, q, p, who, w.amount)
		if err != nil || !came.Valid && !counted(p).IsPositive() {
			return c, err // what was asked for, and nothing besides
		}
		c.said = &w
		return c, s.arrive(p, c, w.amount)
	})
	return s.FromRow(after), err
}

// receivedAmount is what a trader says came.
func receivedAmount(ctx context.Context, p db.Payment, said *string) (came decimal.NullDecimal, err error) {
	f := fault.Decoded(ctx)
	if said == nil {
		return came, f.Err()
	}
	amount, err := money.Parse(*said, money.FiatDecimals)
	if err != nil {
		f.Add("receivedAmount", "%s", err)
	} else {
		f.Check(amount.IsPositive(), "receivedAmount", "must be more than 0")
	}
	f.Check(!cardCheckout(p), "receivedAmount", "must not be said of a payment by card")
	return decimal.NewNullDecimal(amount), f.Err()
}

// confirmed is the change that completes a payment by its trader's word on an amount, if it may still be.
func (s *Service) confirmed(
	ctx context.Context, q *db.Queries, p db.Payment, who caller.Caller, amount decimal.Decimal,
) (*change, error) {
	c := &change{to: Completed, actor: who.Actor()}
	if Status(p.Status) == Pending {
		return c, nil
	}
	if !s.MayComeLate(s.FromRow(p)) {
		return nil, ErrNotPending
	}
	// A payment that is made only now cannot be what was paid before, so nothing is locked for this.
	others, err := q.SlotOthers(ctx, db.SlotOthersParams{
		RequisiteID: *p.RequisiteID, Amounts: []decimal.Decimal{p.Amount, amount}, PaymentID: p.ID,
	})
	// What was asked for is not another payment's that asks for something else. Some merchants give all payers one id, so that this
	// is asked of no more than it must be.
	if err == nil && !others && p.PayerUserID != nil && !amount.Equal(p.Amount) {
		others, err = q.PayerOthers(ctx, db.PayerOthersParams{
			PayerUserID: p.PayerUserID, MerchantID: p.MerchantID, RequisiteID: p.RequisiteID, PaymentID: p.ID,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look for another open payment: %w", err)
	}
	if others {
		return nil, errOtherOpen
	}
	c.late, c.reason = true, new(reasonLate)
	return c, nil
}

// MayComeLate reports whether a payment that has expired may still be completed by its trader.
func (s *Service) MayComeLate(p Payment) bool {
	return p.Expired() && !p.CardCheckout() &&
		s.clock.Now().Before(p.StatusAt.Add(s.settings.Lateness(p.CashboxID, p.Method)))
}

// arrivalOf is an amount that has come, if the policy takes it.
func arrivalOf(p db.Payment, came decimal.Decimal, policy inforce.AmountPolicy) (*arrival, error) {
	switch {
	case p.RateUnavailable && came.GreaterThan(p.Amount):
		return nil, errMoreUnrated
	case policy.AsItCame():
		return &arrival{amount: came, taken: true}, nil
	case policy.Near(p.Amount, came):
		return &arrival{amount: came, toPlatform: policy.ToPlatform}, nil
	}
	return nil, errOtherAmount
}

// withArrival is a payment with what came of it, and what that is worth at its own rate and terms.
// Nil is what was asked for, so that whoever moves a payment without a word on it settles that.
func withArrival(p db.Payment, came *arrival) db.Payment {
	p.ReceivedAmount, p.SettledAmount = decimal.NullDecimal{}, decimal.NullDecimal{}
	toPlatform := false
	if came != nil {
		p.ReceivedAmount, toPlatform = decimal.NewNullDecimal(came.amount), came.toPlatform
		if came.taken {
			p.SettledAmount = p.ReceivedAmount
		}
	}
	return priced(p, toPlatform)
}

// priced has the sums of a payment's rate.
func priced(p db.Payment, toPlatform bool) db.Payment {
	arrival := rate.Arrival{Asked: p.Amount, Came: p.Amount, AsItCame: p.SettledAmount.Valid, ToPlatform: toPlatform}
	if p.ReceivedAmount.Valid {
		arrival.Came = p.ReceivedAmount.Decimal
	}
	quote, difference := arrival.Worth(p.BaseRate, rate.Terms{Markup: p.MarkupPercent, TraderShare: p.TraderSharePercent})
	p.AmountUSDT, p.ProfitUSDT, p.DifferenceUSDT = quote.Amount, quote.Profit, difference
	p.SpreadTraderUSDT, p.SpreadPlatformUSDT = quote.SpreadTrader, quote.SpreadPlatform
	return p
}

// keepArrival stores what came, where that changes.
func keepArrival(from, to db.Payment) []db.Query {
	if !from.ReceivedAmount.Valid && !to.ReceivedAmount.Valid {
		return nil
	}
	return []db.Query{db.Do((*db.Queries).PaymentReceived, db.PaymentReceivedParams{
		MerchantID: to.MerchantID, ID: to.ID, ReceivedAmount: to.ReceivedAmount, SettledAmount: to.SettledAmount,
		DifferenceUSDT: to.DifferenceUSDT, AmountUSDT: to.AmountUSDT, ProfitUSDT: to.ProfitUSDT,
		SpreadTraderUSDT: to.SpreadTraderUSDT, SpreadPlatformUSDT: to.SpreadPlatformUSDT,
	})}
}

// fiatOrNull is an amount as it is written; nil is none.
func fiatOrNull(amount decimal.NullDecimal) *string {
	if !amount.Valid {
		return nil
	}
	return new(money.Fiat(amount.Decimal))
}
