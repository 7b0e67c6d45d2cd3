package payment

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
)

// newRefusals counts the payments that found no requisite, by the rule that dropped the last
// candidate: the one thing that stood between the payment and a requisite.
func newRefusals(metrics prometheus.Registerer) *prometheus.CounterVec {
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "gateway_routing_refusals_total",
		Help: "Payments without a requisite, by the rule that dropped the closest candidate.",
	}, []string{"currency", "method", "rule"})
	if metrics != nil {
		metrics.MustRegister(refusals)
	}
	return refusals
}

// ruleNoRequisite is the reason when the pool is empty.
const ruleNoRequisite routing.Rule = "no_requisite"

// ruleNoRate is the reason when the currency never had a rate.
const ruleNoRate routing.Rule = "no_rate"

// rules are all rules, in the order in which they are checked.
var rules = []routing.Rule{
	ruleNoRequisite,
	routing.TraderOff,
	routing.TraderBreak,
	routing.RequisiteOff,
	routing.OwnOff,
	routing.AmountLimits,
	routing.WorkingHours,
	routing.DailyCount,
	routing.DailySum,
	routing.OpenLimit,
	routing.SlotTaken,
	routing.TraderShort,
}

// tellRefusal counts and logs why a choice found no requisite.
func (s *Service) tellRefusal(ctx context.Context, d *draft, refusal error) {
	none := new(routing.NoneError)
	closest, candidates := ruleNoRequisite, 0
	if errors.Is(refusal, rate.ErrNone) {
		closest = ruleNoRate
	} else if !errors.As(refusal, &none) {
		return
	}
	for _, rule := range rules {
		if candidates += none.Dropped[rule]; none.Dropped[rule] > 0 {
			closest = rule
		}
	}
	s.refusals.WithLabelValues(d.Currency, d.method.Name, string(closest)).Inc()
	s.refused.add(refusalKey{
		hour: d.now.UTC().
			Truncate(time.Hour),
		merchantID: d.who.MerchantID,
		currency:   d.Currency,
		method:     d.method.Name,
		cause:      closest,
	}, 1)
	slog.InfoContext(
		ctx,
		"no requisite",
		"currency",
		d.Currency,
		"method",
		d.method.Name,
		"merchant_id",
		d.who.MerchantID,
		"closest",
		closest,
		"candidates",
		candidates,
		"dropped",
		none.Dropped,
	)
}

// RoutingQuestion is a payment that is only tried.
type RoutingQuestion struct {
	Amount, Currency, Method string
	CashboxID                int64
	// At is the time of the payment; nil is now.
	At *time.Time
}

// RoutingAnswer is the result of a try.
type RoutingAnswer struct {
	// Refusal is the error code that the payment would get, or "".
	Refusal string
	// NoRate says that it is refused because the currency never had a rate.
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

func (s *Service) explainRouting(
	ctx context.Context, o order, cashboxID int64, at *time.Time,
) (RoutingAnswer, error) {
	if _, err := s.settings.Renew(ctx); err != nil {
		return RoutingAnswer{}, err
	}
	owner, err := s.q.CashboxOwner(ctx, cashboxID)
	if db.NoRows(err) {
		return RoutingAnswer{}, fault.ErrNotFound
	}
	if err != nil {
		return RoutingAnswer{}, fmt.Errorf("find cashbox: %w", err)
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
		// Without a cashbox or a rate it is not known how much would be held of a candidate.
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

// settle sums up the candidates.
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
