package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *TraderService) RequestCode(
	ctx context.Context, req *portalv1.RequestCodeRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.Checkouts.RequestCode(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code requested", p, err)
}

func (s *TraderService) RequestCodeResend(
	ctx context.Context, req *portalv1.RequestCodeResendRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.Checkouts.RequestResend(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code requested again", p, err)
}

func (s *TraderService) MarkCodeNotNeeded(
	ctx context.Context, req *portalv1.MarkCodeNotNeededRequest,
) (*portalv1.CardStepResponse, error) {
	p, err := s.Checkouts.MarkCodeNotNeeded(ctx, caller.From(ctx), req.GetPaymentId())
	return s.cardStep(ctx, "Code not needed", p, err)
}

func (s *TraderService) cardStep(
	ctx context.Context, message string, p payment.Payment, err error,
) (*portalv1.CardStepResponse, error) {
	shown, err := s.ShowOne(ctx, p, err)
	return &portalv1.CardStepResponse{Message: message, Data: shown}, err
}
