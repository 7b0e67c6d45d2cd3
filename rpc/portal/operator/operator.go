// Package operator serves OperatorService of portal.v1: what operators ask,
// decide and set, a file for each subject.
package operator

import (
	"context"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/optional"
	"gateway.example/internal/paylink"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/internal/rate"
	"gateway.example/internal/routing"
	"gateway.example/internal/sensitive"
	"gateway.example/internal/session"
	"gateway.example/internal/timeline"
	"gateway.example/internal/webhook"
	"gateway.example/internal/work"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
	"gateway.example/rpc/portal"
)

type Services struct {
	Payments *payment.Service
	Rates    *rate.Settings
	Settings *directory.Settings
	Deposits *deposit.Service
	// Proposals carries out what may take a second operator.
	Proposals *proposal.Service
	Payouts   *payout.Service
	Users     *session.Service
	Events    *webhook.Events

	Checkouts *checkout.Service
	Acquirers *acquirer.Directory
	// Reads says who read sensitive values.
	Reads *sensitive.Reads
	Work  *work.Service
	// Messages are those of traders' banks.
	Messages *bankmessage.Service
	PayLinks *paylink.Service
	// Sums tell how payments come to be worth what they are, Refusals which
	// nobody could be found for.
	Sums     *rate.Explainer
	Refusals *routing.Refusals
}

type service struct {
	Services
	portal.Replays
	portal.Threads
	portal.AppealFiles
}

func New(services Services) portalv1connect.OperatorServiceHandler {
	return &service{
		services, portal.Replays{Of: services.Events}, portal.Threads{Of: services.Payments}, portal.AppealFiles{Of: services.Payments},
	}
}

func (s *service) ExplainRouting(
	ctx context.Context, req *portalv1.ExplainRoutingRequest,
) (*portalv1.ExplainRoutingResponse, error) {
	answer, err := s.Payments.ExplainRouting(ctx, caller.From(ctx), payment.RoutingQuestion{
		Amount: req.GetAmount(), Currency: req.GetCurrency(), Method: req.GetMethod(),
		CashboxID: req.GetMerchantCashboxId(), At: rpc.Instant(req.GetAt()),
	})
	return routingView(answer), err
}

func (s *service) ExplainTrader(
	ctx context.Context, req *portalv1.ExplainTraderRequest,
) (*portalv1.ExplainRequisitesResponse, error) {
	list, err := s.Payments.ExplainTrader(ctx, caller.From(ctx), req.GetTraderId())
	return portal.Explanations(list, err)
}

// routingView keeps the candidates in the order in which they are tried. A
// requisite that no rule drops has no DroppedBy, and one that was never used
// has no LastUsedAt.
func routingView(answer payment.RoutingAnswer) *portalv1.ExplainRoutingResponse {
	out := &portalv1.ExplainRoutingResponse{
		Refusal:     optional.Of(answer.Refusal),
		RequisiteId: optional.Of(answer.RequisiteID),
	}
	for _, c := range answer.Candidates {
		candidate := &portalv1.RoutingCandidate{
			RequisiteId: c.ID, TraderId: c.TraderID, DroppedBy: optional.Of(string(c.DroppedBy)), Weight: c.Weight,
		}
		if c.LastUsedAt.Unix() > 0 {
			candidate.LastUsedAt = rpc.Timestamp(c.LastUsedAt)
		}
		out.Candidates = append(out.Candidates, candidate)
	}
	return out
}

func (s *service) ReplayRouting(
	ctx context.Context, req *portalv1.ReplayRoutingRequest,
) (*portalv1.ReplayRoutingResponse, error) {
	r, err := s.Payments.ReplayRouting(ctx, caller.From(ctx), req.GetPaymentId())
	return &portalv1.ReplayRoutingResponse{
		RequisiteId: optional.Of(r.RequisiteID), TraderId: r.TraderID, Pool: r.Pool, Looked: r.Looked,
		Passed: portal.PassedBy(timeline.ByRule(r.Passed)), Now: routingView(r.Now),
	}, err
}

func (s *service) ListRoutingRefusals(
	ctx context.Context, _ *portalv1.ListRoutingRefusalsRequest,
) (*portalv1.ListRoutingRefusalsResponse, error) {
	list, err := s.Refusals.List(ctx, caller.From(ctx))
	out := &portalv1.ListRoutingRefusalsResponse{}
	for _, r := range list {
		out.Data = append(out.Data, &portalv1.RoutingRefusals{
			Hour: rpc.Timestamp(r.Hour), MerchantId: r.MerchantID, Merchant: r.Merchant, Currency: r.Currency,
			Method: r.Method, Cause: r.Cause, Refusals: r.Refusals,
		})
	}
	return out, err
}
