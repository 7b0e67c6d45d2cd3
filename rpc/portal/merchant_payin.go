package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListPayins implements the service.
func (s *MerchantService) ListPayins(
	ctx context.Context, req *connect.Request[portalv1.ListPayinsRequest],
) (*connect.Response[portalv1.ListMerchantPayinsResponse], error) {
	list, cursor, err := s.Payouts.ListOwn(ctx, caller.From(ctx), payout.Query{Page: payinPage(req.Msg)})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMerchantPayinsResponse{Data: rpc.PayinViews(list), NextCursor: cursor}), nil
}

// CancelPayin implements the service.
func (s *MerchantService) CancelPayin(
	ctx context.Context, req *connect.Request[gatewayv1.CancelPayinRequest],
) (*connect.Response[gatewayv1.CancelPayinResponse], error) {
	return rpc.NewPayinService(s.Payouts).CancelPayin(ctx, req)
}
