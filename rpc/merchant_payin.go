package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListPayins implements the service.
func (s *MerchantService) ListPayins(
	ctx context.Context, req *connect.Request[portalv1.ListPayinsRequest],
) (*connect.Response[portalv1.ListMerchantPayinsResponse], error) {
	list, cursor, err := s.Payouts.ListOwn(ctx, caller.From(ctx), payinPage(req.Msg))
	if err != nil {
		return nil, err
	}
	data := make([]*gatewayv1.Payin, 0, len(list))
	for _, p := range list {
		data = append(data, payinView(p))
	}
	return connect.NewResponse(&portalv1.ListMerchantPayinsResponse{Data: data, NextCursor: cursor}), nil
}

// CancelPayin implements the service.
func (s *MerchantService) CancelPayin(
	ctx context.Context, req *connect.Request[gatewayv1.CancelPayinRequest],
) (*connect.Response[gatewayv1.CancelPayinResponse], error) {
	return cancelPayin(ctx, s.Payouts, req.Msg)
}
