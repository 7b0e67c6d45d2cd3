package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/deposit"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/rate"
	"gateway.example/internal/session"
	"gateway.example/internal/webhook"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// OperatorRooms are the rooms an operator works in.
type OperatorRooms struct {
	Payments *payment.Service
	Rates    *rate.Settings
	Settings *directory.Settings
	Deposits *deposit.Service
	Payouts  *payout.Service
	Users    *session.Service
	Events   *webhook.Events

	Checkouts *checkout.Service
	Acquirers *acquirer.Directory
}

// OperatorService serves portal.v1.OperatorService.
type OperatorService struct {
	portalv1connect.UnimplementedOperatorServiceHandler
	OperatorRooms
}

var _ portalv1connect.OperatorServiceHandler = (*OperatorService)(nil)

// NewOperatorService makes the handler.
func NewOperatorService(rooms OperatorRooms) *OperatorService {
	return &OperatorService{OperatorRooms: rooms}
}

// ExplainRouting implements the service.
func (s *OperatorService) ExplainRouting(
	ctx context.Context, req *connect.Request[portalv1.ExplainRoutingRequest],
) (*connect.Response[portalv1.ExplainRoutingResponse], error) {
	answer, err := s.Payments.ExplainRouting(ctx, caller.From(ctx), payment.RoutingQuestion{
		Amount: req.Msg.GetAmount(), Currency: req.Msg.GetCurrency(), Method: req.Msg.GetMethod(),
		CashboxID: req.Msg.GetMerchantCashboxId(),
	})
	if err != nil {
		return nil, err
	}
	out := &portalv1.ExplainRoutingResponse{
		Refusal:     optional(answer.Refusal),
		RequisiteId: optional(answer.RequisiteID),
	}
	for _, c := range answer.Candidates {
		candidate := &portalv1.RoutingCandidate{
			RequisiteId: c.ID, TraderId: c.TraderID, DroppedBy: optional(string(c.DroppedBy)), Weight: c.Weight,
		}
		if c.LastUsedAt.Unix() > 0 {
			candidate.LastUsedAt = timestamp(c.LastUsedAt)
		}
		out.Candidates = append(out.Candidates, candidate)
	}
	return connect.NewResponse(out), nil
}

// optional is v, or nil where v is nothing.
func optional[T comparable](v T) *T {
	var nothing T
	if v == nothing {
		return nil
	}
	return &v
}
