package payment

import (
	"context"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/directory"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
)

// errOtherAmount refuses another amount than asked for, where the cashbox's method takes none.
var errOtherAmount = fault.Fields{"receivedAmount": {"must be what was asked for: this cashbox takes no other amount"}}.Err()

// arrival is what came of a payment by its trader's word.
type arrival struct {
	amount decimal.Decimal
	// taken settles the payment for what came, and not for what was asked; toPlatform has the platform
	// gain or bear the difference.
	taken, toPlatform bool
}

// ConfirmReceived is Confirm, with what came: an amount that is said is kept, and taken as the method
// of the cashbox says. Nil is the amount asked for.
func (s *Service) ConfirmReceived(ctx context.Context, who caller.Caller, id int64, said *string) (Payment, error) {
	if said == nil {
		return s.Confirm(ctx, who, id)
	}
	found, err := s.findTraders(ctx, who, id)
	if err != nil {
		return Payment{}, err
	}
	f := fault.Decoded(ctx)
	came, wrong := money.Parse(*said, money.FiatDecimals)
	if wrong != nil {
		f.Add("receivedAmount", "%s", wrong)
	} else {
		f.Check(came.IsPositive(), "receivedAmount", "must be more than 0")
	}
	f.Check(!cardCheckout(found), "receivedAmount", "must not be said of a payment by card")
	if err := f.Err(); err != nil {
		return Payment{}, err
	}
	if err := s.settings.Current(ctx); err != nil {
		return Payment{}, err
	}
	policy := s.settings.AmountPolicy(found.CashboxID, found.Method)
	after, err := s.changeStatus(ctx, found, func(p db.Payment) (*change, error) {
		if Status(p.Status) != Pending {
			return nil, ErrNotPending
		}
		return arrived(p, came, policy, who)
	})
	return s.fromRow(after), err
}

// arrived is the change that an amount makes which has come.
func arrived(p db.Payment, came decimal.Decimal, policy directory.AmountPolicy, who caller.Caller) (*change, error) {
	c := &change{to: Completed, actor: who.Actor(), came: &arrival{amount: came}}
	switch {
	case policy.AsItCame():
		c.came.taken = true
	case policy.Near(p.Amount, came):
		c.came.toPlatform = policy.ToPlatform
	default:
		return nil, errOtherAmount
	}
	return c, nil
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
