package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// RequestCode implements the service.
func (s *TraderService) RequestCode(
	ctx context.Context, req *connect.Request[portalv1.RequestCodeRequest],
) (*connect.Response[portalv1.CardStepResponse], error) {
	p, err := s.checkouts.RequestCode(ctx, caller.From(ctx), req.Msg.GetPaymentId())
	return s.cardStep(ctx, "Code requested", p, err)
}

// RequestCodeResend implements the service.
func (s *TraderService) RequestCodeResend(
	ctx context.Context, req *connect.Request[portalv1.RequestCodeResendRequest],
) (*connect.Response[portalv1.CardStepResponse], error) {
	p, err := s.checkouts.RequestResend(ctx, caller.From(ctx), req.Msg.GetPaymentId())
	return s.cardStep(ctx, "Code requested again", p, err)
}

// MarkCodeNotNeeded implements the service.
func (s *TraderService) MarkCodeNotNeeded(
	ctx context.Context, req *connect.Request[portalv1.MarkCodeNotNeededRequest],
) (*connect.Response[portalv1.CardStepResponse], error) {
	p, err := s.checkouts.MarkCodeNotNeeded(ctx, caller.From(ctx), req.Msg.GetPaymentId())
	return s.cardStep(ctx, "Code not needed", p, err)
}

func (s *TraderService) cardStep(
	ctx context.Context, message string, p payment.Payment, err error,
) (*connect.Response[portalv1.CardStepResponse], error) {
	if err != nil {
		return nil, err
	}
	shown, err := s.view.Show(ctx, caller.From(ctx), p)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CardStepResponse{Message: message, Data: shown[0]}), nil
}
