package rpc

import (
	"context"

	"connectrpc.com/connect"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *OperatorService) merchantSet(
	ctx context.Context, c directory.Change, err error,
) (*connect.Response[portalv1.MerchantResponse], error) {
	return settled(c, err, func() (directory.Merchant, error) {
		return s.Settings.Merchant(ctx, caller.From(ctx), subjectID(c))
	}, func(change *portalv1.SettingChange, m directory.Merchant) *portalv1.MerchantResponse {
		return &portalv1.MerchantResponse{Change: change, Data: merchantView(m)}
	})
}

// ListMerchants implements the service.
func (s *OperatorService) ListMerchants(
	ctx context.Context, req *connect.Request[portalv1.ListMerchantsRequest],
) (*connect.Response[portalv1.ListMerchantsResponse], error) {
	m := req.Msg
	list, next, err := s.Settings.Merchants(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListMerchantsResponse{Data: views(list, merchantView), NextCursor: next}), nil
}

// GetMerchant implements the service.
func (s *OperatorService) GetMerchant(
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
	return &portalv1.Merchant{
		Id:              m.ID,
		Name:            m.Name,
		ApiEnabled:      m.APIEnabled,
		RatePercent:     optionalNumber(m.RatePercent, decimal.Decimal.String),
		MaxOpenPayments: m.MaxOpenPayments,
		CreatedAt:       timestamp(m.CreatedAt),
		Version:         m.Version,
	}
}
