package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *traderService) RequestCode(
	ctx context.Context, req *portalv1.RequestCodeRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.checkouts.RequestCode(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code requested", p, err)
}

func (s *traderService) RequestCodeResend(
	ctx context.Context, req *portalv1.RequestCodeResendRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.checkouts.RequestResend(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code requested again", p, err)
}

func (s *traderService) MarkCodeNotNeeded(
	ctx context.Context, req *portalv1.MarkCodeNotNeededRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.checkouts.MarkCodeNotNeeded(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code not needed", p, err)
}

func (s *traderService) cardStep(
	ctx context.Context, message string, p payment.Payment, err error,
) (*portalv1.CardStepResponse, error) {
	shown, err := s.view.ShowOne(ctx, p, err)
	return &portalv1.CardStepResponse{Message: message, Data: shown}, err
}
