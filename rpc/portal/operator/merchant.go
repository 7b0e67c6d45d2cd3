package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func merchantSet(c *portalv1.SettingChange, m directory.Merchant) *portalv1.MerchantResponse {
	return &portalv1.MerchantResponse{Change: c, Data: merchantView(m)}
}

// ListMerchants implements the service.
func (s *Service) ListMerchants(
	ctx context.Context, req *connect.Request[portalv1.ListMerchantsRequest],
) (*connect.Response[portalv1.ListMerchantsResponse], error) {
	m := req.Msg
	list, next, err := s.Settings.Merchants(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMerchantsResponse{Data: rpc.Views(list, merchantView), NextCursor: next}), nil
}

// GetMerchant implements the service.
func (s *Service) GetMerchant(
	ctx context.Context, req *connect.Request[portalv1.GetMerchantRequest],
) (*connect.Response[portalv1.GetMerchantResponse], error) {
	m, err := s.Settings.Merchant(ctx, caller.From(ctx), req.Msg.GetMerchantId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{MerchantID: m.ID})
	return connect.NewResponse(&portalv1.GetMerchantResponse{Data: merchantView(m), OpenPayments: open}), err
}

func merchantView(m directory.Merchant) *portalv1.Merchant {
	view := &portalv1.Merchant{Id: m.ID, CreatedAt: rpc.Timestamp(m.CreatedAt), Version: m.Version}
	setting.Merchant.Fill(view, &m)
	return view
}
