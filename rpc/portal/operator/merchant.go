package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListMerchants(
	ctx context.Context, m *portalv1.ListMerchantsRequest,
) (*portalv1.ListMerchantsResponse, error) {
	list, next, err := s.Settings.Merchants(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	return &portalv1.ListMerchantsResponse{Data: rpc.Views(list, merchantView), NextCursor: next}, err
}

func (s *service) GetMerchant(
	ctx context.Context, req *portalv1.GetMerchantRequest,
) (*portalv1.GetMerchantResponse, error) {
	m, err := s.Settings.Merchant(ctx, caller.From(ctx), req.GetMerchantId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{MerchantID: m.ID})
	return &portalv1.GetMerchantResponse{Data: merchantView(m), OpenPayments: open}, err
}

func merchantView(m directory.Merchant) *portalv1.Merchant {
	view := &portalv1.Merchant{Id: m.ID, CreatedAt: rpc.Timestamp(m.CreatedAt), Version: m.Version}
	setting.Merchant.Fill(view, &m)
	return view
}
