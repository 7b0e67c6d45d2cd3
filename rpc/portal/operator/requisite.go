package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListRequisites(
	ctx context.Context, m *portalv1.ListRequisitesRequest,
) (*portalv1.ListRequisitesResponse, error) {
	search := page(m.Search, m.SwitchedOn, m.Limit, m.Cursor)
	search.TraderID, search.Currency, search.Method = m.GetTraderId(), m.GetCurrency(), m.GetMethod()
	list, next, err := s.Settings.Requisites(ctx, caller.From(ctx), search)
	return &portalv1.ListRequisitesResponse{Data: rpc.Views(list, requisiteOfTrader), NextCursor: next}, err
}

func (s *service) GetRequisite(
	ctx context.Context, req *portalv1.GetRequisiteRequest,
) (*portalv1.GetRequisiteResponse, error) {
	r, err := s.Settings.Requisite(ctx, caller.From(ctx), req.GetRequisiteId())
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{TraderID: r.TraderID, RequisiteID: r.ID})
	return &portalv1.GetRequisiteResponse{Data: requisiteOfTrader(r), OpenPayments: open}, err
}

func (s *service) RevealRequisite(
	ctx context.Context, req *portalv1.RevealRequisiteRequest,
) (*portalv1.RevealRequisiteResponse, error) {
	value, err := s.Settings.RequisiteValue(ctx, caller.From(ctx), req.GetRequisiteId())
	return &portalv1.RevealRequisiteResponse{Value: value}, err
}

// requisiteOfTrader is a requisite with the last digits of its value only. The
// whole value is read by RevealRequisite.
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
