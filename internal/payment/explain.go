package payment

import (
	"context"
	"errors"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
)

// tellRefusal counts and logs why no requisite was found.
func (s *Service) tellRefusal(ctx context.Context, d *draft, refusal error) {
	none := new(routing.NoneError)
	switch {
	case errors.Is(refusal, rate.ErrNone):
		s.config.Refusals.Tell(ctx, d.who.MerchantID, d.want(), routing.NoRate, nil)
	case errors.As(refusal, &none):
		s.config.Refusals.Tell(ctx, d.who.MerchantID, d.want(), none.Closest(), none.Dropped)
	}
}

// RoutingQuestion describes a payment that is tried without being made.
type RoutingQuestion struct {
	Amount, Currency, Method string
	CashboxID                int64
	// At is the time of the payment; nil is now.
	At *time.Time
}

type RoutingAnswer struct {
	// Refusal is the error code that the payment would get, or "".
	Refusal string
	// NoRate says that the payment is refused because the currency never
	// had a rate.
	NoRate bool
	// RequisiteID is the requisite that it would get, or 0.
	RequisiteID int64
	// Candidates is the whole pool, in the order of choice.
	Candidates []routing.Candidate
}

// ExplainRouting chooses a requisite for a payment without making it.
func (s *Service) ExplainRouting(
	ctx context.Context,
	who caller.Caller,
	question RoutingQuestion,
) (RoutingAnswer, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return RoutingAnswer{}, err
	}
	f := fault.Decoded(ctx)
	o := order{Request: Request{Currency: question.Currency, Method: &question.Method}}
	o.amount = fault.Read(f, "amount", question.Amount, money.ParseFiat)
	o.method = checkMethod(f, o.Request)
	f.Check(question.CashboxID > 0, "merchantCashboxId", "is required")
	if err := f.Err(); err != nil {
		return RoutingAnswer{}, err
	}
	return s.explainRouting(ctx, o, question.CashboxID, question.At)
}

// explainRouting tries an order as a key of the cashbox's merchant would make
// it, by the settings of this moment. It reserves nothing: a payment that comes
// right after may get another requisite. Its caller has checked the order and
// who asks.
func (s *Service) explainRouting(
	ctx context.Context, o order, cashboxID int64, at *time.Time,
) (RoutingAnswer, error) {
	if _, err := s.settings.Renew(ctx); err != nil {
		return RoutingAnswer{}, err
	}
	owner, err := s.q.CashboxOwner(ctx, cashboxID)
	if err != nil {
		return RoutingAnswer{}, db.Missing(err, fault.ErrNotFound, "find cashbox")
	}
	merchant := caller.Caller{
		Kind: caller.MerchantKey, MerchantID: owner.MerchantID, CashboxID: &cashboxID, APIEnabled: owner.ApiEnabled,
		RatePercent: owner.RatePercent,
	}
	d := s.draft(merchant, o)
	if at != nil { // the order of choice stays as it is
		d.now, d.dry = *at, true
	}
	refusal := merchant.NeedMerchant("")
	if refusal == nil {
		refusal = d.refusal()
	}
	if d.shop == nil || d.baseErr != nil {
		// Without a cashbox or a rate it is not known how much of a
		// candidate's USDT would be held.
		return RoutingAnswer{ //nolint:nilerr // the refusal is the answer
			Refusal: fault.As(refusal).Code, NoRate: errors.Is(refusal, rate.ErrNone),
		}, nil
	}
	answer := RoutingAnswer{}
	if answer.Candidates, err = s.settings.Requisites().Explain(ctx, s.q, d.want(), d.hold); err != nil {
		return RoutingAnswer{}, err
	}
	answer.settle(refusal)
	return answer, nil
}

// settle fills in the answer from the candidates and the refusal.
func (a *RoutingAnswer) settle(refusal error) {
	if refusal != nil {
		a.Refusal = fault.As(refusal).Code
		return
	}
	for _, c := range a.Candidates {
		if c.DroppedBy == routing.Free {
			a.RequisiteID = c.ID
			return
		}
	}
	a.Refusal = errNoRequisite.Code
}

// Replay compares how a payment's requisite was chosen with how it would be
// chosen now.
type Replay struct {
	RequisiteID, TraderID int64
	// Question is what the payment asked for.
	Question RoutingQuestion
	// Passed are the candidates that were passed over, in order, at most
	// 100. Pool and Looked describe the choice of the candidate that got
	// the payment; nil if that is not known.
	Passed       []routing.Passed
	Pool, Looked *int32
	// Now is the choice for the same payment by the present rules.
	Now RoutingAnswer
}

// ReplayRouting tells how a payment got its requisite, and repeats the choice
// by the present rules.
func (s *Service) ReplayRouting(ctx context.Context, who caller.Caller, id int64) (Replay, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return Replay{}, err
	}
	p, err := s.q.PaymentFind(ctx, id)
	if err != nil {
		return Replay{}, db.Missing(err, fault.ErrNotFound, "find payment")
	}
	r := Replay{TraderID: p.TraderID, Pool: p.ChoicePool, Looked: p.ChoiceLooked}
	if p.RequisiteID != nil {
		r.RequisiteID = *p.RequisiteID
	}
	if r.Passed, err = routing.DecodePassed(p.ChoicePassed); err != nil {
		return Replay{}, err
	}
	r.Question = RoutingQuestion{
		Amount: p.Amount.String(), Currency: p.Currency, Method: p.Method, CashboxID: p.CashboxID,
	}
	r.Now, err = s.ExplainRouting(ctx, who, r.Question)
	return r, err
}
