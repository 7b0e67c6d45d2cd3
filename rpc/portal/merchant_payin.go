package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *MerchantService) ListPayins(
	ctx context.Context, req *portalv1.ListPayinsRequest,
) (*portalv1.ListMerchantPayinsResponse, error) {
	list, cursor, err := s.Payouts.ListOwn(ctx, caller.From(ctx), payout.Query{Page: payinPage(req)})
	return &portalv1.ListMerchantPayinsResponse{Data: rpc.Views(list, rpc.PayinView), NextCursor: cursor}, err
}

func (s *MerchantService) CancelPayin(
	ctx context.Context, req *gatewayv1.CancelPayinRequest,
) (*gatewayv1.CancelPayinResponse, error) {
	return (&rpc.PayinService{Payouts: s.Payouts}).CancelPayin(ctx, req)
}
