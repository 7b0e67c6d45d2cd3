package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func requisiteSet(c *portalv1.SettingChange, r directory.Requisite) *portalv1.RequisiteResponse {
	return &portalv1.RequisiteResponse{Change: c, Data: requisiteOfTrader(r)}
}

// ListRequisites implements the service.
func (s *Service) ListRequisites(
	ctx context.Context, req *connect.Request[portalv1.ListRequisitesRequest],
) (*connect.Response[portalv1.ListRequisitesResponse], error) {
	m := req.Msg
	search := page(m.Search, m.SwitchedOn, m.Limit, m.Cursor)
	search.TraderID, search.Currency, search.Method = m.GetTraderId(), m.GetCurrency(), m.GetMethod()
	list, next, err := s.Settings.Requisites(ctx, caller.From(ctx), search)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListRequisitesResponse{
		Data: rpc.Views(list, requisiteOfTrader), NextCursor: next,
	}), nil
}

// GetRequisite implements the service.
func (s *Service) GetRequisite(
	ctx context.Context, req *connect.Request[portalv1.GetRequisiteRequest],
) (*connect.Response[portalv1.GetRequisiteResponse], error) {
	r, err := s.Settings.Requisite(ctx, caller.From(ctx), req.Msg.GetRequisiteId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{TraderID: r.TraderID, RequisiteID: r.ID})
	return connect.NewResponse(&portalv1.GetRequisiteResponse{Data: requisiteOfTrader(r), OpenPayments: open}), err
}

// RevealRequisite implements the service.
func (s *Service) RevealRequisite(
	ctx context.Context, req *connect.Request[portalv1.RevealRequisiteRequest],
) (*connect.Response[portalv1.RevealRequisiteResponse], error) {
	value, err := s.Settings.RequisiteValue(ctx, caller.From(ctx), req.Msg.GetRequisiteId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RevealRequisiteResponse{Value: value}), nil
}

func requisiteOfTrader(r directory.Requisite) *portalv1.Requisite {
	return &portalv1.Requisite{
		Id:         r.ID,
		TraderId:   r.TraderID,
		TraderName: r.TraderName,
		Currency:   r.Currency,
		Method:     r.Method,
		Masked:     r.Masked,
		Holder:     r.Holder,
		Bank:       r.Bank,
		Enabled:    r.Enabled,
		OwnEnabled: r.OwnEnabled,
		Limits:     portal.OwnLimits(r.Set),
		OwnLimits:  portal.OwnLimits(r.Own),
		Weight:     r.Weight,
		CreatedAt:  rpc.Timestamp(r.CreatedAt),
		Version:    r.Version,
	}
}
