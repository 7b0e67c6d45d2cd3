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

// errOtherAmount refuses an amount that the amount policy of the cashbox's
// method does not accept.
var errOtherAmount = fault.Fields{"receivedAmount": {"must be what was asked for: this cashbox takes no other amount"}}.Err()

// arrival is the total amount that has arrived for a payment, and how it is
// settled.
type arrival struct {
	amount decimal.Decimal
	// taken settles the payment with the amount that arrived, instead of
	// the amount asked for. toPlatform gives the difference, a gain or a
	// loss, to the platform.
	taken, toPlatform bool
}

// errOtherOpen refuses a transfer that may be another payer's.
var errOtherOpen = fault.New(fault.Refused, "payment_amount_taken",
	"Another open payment on this requisite asks for this amount; or another amount than was asked for came, and the payer has a pending payment there.")

// errMoreUnrated refuses more than was asked for while there is no rate: it is
// not known yet whether the trader has enough USDT.
var errMoreUnrated = fault.Fields{"receivedAmount": {"must not be more than was asked for while there is no rate"}}.Err()

// ConfirmReceived is Confirm with the amount that arrived, which is stored and
// accepted or not by the amount policy of the cashbox's method. Nil is the
// amount that the payment waits for.
func (s *Service) ConfirmReceived(ctx context.Context, who caller.Caller, id int64, said *string) (Payment, error) {
	return s.ConfirmCame(ctx, who, id, Came{Amount: said})
}

// ConfirmCame is ConfirmReceived with all details of the transfer. An amount
// that the method's amount policy does not accept makes the payment a case: see
// DecideCase.
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
		// Whether the amount is accepted depends on settings that may
		// just have been changed.
		if _, err := s.settings.Renew(ctx); err != nil {
			return Payment{}, err
		}
	}
	after, err := s.changeStatus(ctx, found, func(q *db.Queries, p db.Payment) (*change, error) {
		w.amount = expected(p)
		if said.Expected != nil && !said.Expected.Equal(w.amount) {
			return nil, ErrCameSince
		}
		if came.Valid {
			w.amount = came.Decimal
		}
		c, err := s.confirmed(ctx, q, p, who, w.amount)
		if err != nil || !came.Valid && !counted(p).IsPositive() {
			return c, err // exactly the amount asked for, so there is nothing to store
		}
		c.said = &w
		return c, s.arrive(p, c, w.amount)
	})
	return s.FromRow(after), err
}

// receivedAmount checks the amount that a trader reports.
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

// confirmed returns the change that completes a payment because its trader
// reports an amount. It refuses a payment that has ended, unless it expired and
// may still be completed late.
//
//rule:which payments a trader may complete
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
	// Nothing is locked for this: a payment that is made only now cannot be
	// the one that was paid before.
	others, err := q.SlotOthers(ctx, db.SlotOthersParams{
		RequisiteID: *p.RequisiteID, Amounts: []decimal.Decimal{p.Amount, amount}, PaymentID: p.ID,
	})
	// Exactly the amount asked for cannot belong to a payment that asks for
	// another amount. Some merchants use one id for all payers, so the
	// payer's other payments are checked only if it is necessary.
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
	return c, dispute(ctx, q, p, c)
}

// dispute notes whether an appeal of the payment is not decided.
func dispute(ctx context.Context, q *db.Queries, p db.Payment, c *change) (err error) {
	c.disputed, err = q.AppealWaits(ctx, db.AppealWaitsParams{MerchantID: p.MerchantID, PaymentID: p.ID})
	return fault.Doing("look for an appeal", err)
}

// MayComeLate reports whether a payment that has expired may still be completed
// by its trader.
//
//rule:when an expired payment may still be completed
func (s *Service) MayComeLate(p Payment) bool {
	return p.Expired() && !p.CardCheckout() &&
		s.clock.Now().Before(p.StatusAt.Add(s.settings.Lateness(p.CashboxID, p.Method)))
}

// arrivalOf is how an amount that has arrived is settled by the policy. It
// returns errOtherAmount if the policy does not accept it.
//
//rule:what becomes of a payment when another amount comes
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

// withArrival is the payment with the amount that arrived, and with sums that
// fit that amount at the payment's own rate and terms. A nil amount means that
// the amount asked for is settled.
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

// priced computes the payment's sums in USDT from its rate and terms.
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

// keepArrival stores the amount that arrived and the sums that follow from it.
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

// fiatOrNull formats an amount; it is nil without one.
func fiatOrNull(amount decimal.NullDecimal) *string {
	if !amount.Valid {
		return nil
	}
	return new(money.Fiat(amount.Decimal))
}
