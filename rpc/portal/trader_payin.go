package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListPayins implements the service.
func (s *TraderService) ListPayins(
	ctx context.Context, req *connect.Request[portalv1.ListPayinsRequest],
) (*connect.Response[portalv1.ListTraderPayinsResponse], error) {
	list, cursor, err := s.payouts.ListForTrader(ctx, caller.From(ctx), payinPage(req.Msg))
	if err != nil {
		return nil, err
	}
	data := make([]*portalv1.TraderPayin, 0, len(list))
	for _, offer := range list {
		data = append(data, offerView(offer))
	}
	return connect.NewResponse(&portalv1.ListTraderPayinsResponse{Data: data, NextCursor: cursor}), nil
}

func payinPage(m *portalv1.ListPayinsRequest) payout.Page {
	page := payout.Page{Status: m.Status}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	return page
}

// TakePayin implements the service.
func (s *TraderService) TakePayin(
	ctx context.Context, req *connect.Request[portalv1.TakePayinRequest],
) (*connect.Response[portalv1.TraderPayinResponse], error) {
	offer, err := s.payouts.Take(ctx, caller.From(ctx), req.Msg.GetPayinId())
	return offerResponse("Payin taken", offer, err)
}

// GiveBackPayin implements the service.
func (s *TraderService) GiveBackPayin(
	ctx context.Context, req *connect.Request[portalv1.GiveBackPayinRequest],
) (*connect.Response[portalv1.TraderPayinResponse], error) {
	offer, err := s.payouts.GiveBack(ctx, caller.From(ctx), req.Msg.GetPayinId(), req.Msg.Reason)
	return offerResponse("Payin given back", offer, err)
}

// CompletePayin implements the service.
func (s *TraderService) CompletePayin(
	ctx context.Context, req *connect.Request[portalv1.CompletePayinRequest],
) (*connect.Response[portalv1.TraderPayinResponse], error) {
	proof := payout.Proof{
		Reference: req.Msg.ProofReference, FileName: req.Msg.GetFileName(), File: rpc.UploadedFile(ctx, req.Msg.File),
	}
	offer, err := s.payouts.Prove(ctx, caller.From(ctx), req.Msg.GetPayinId(), proof)
	return offerResponse("Payin completed", offer, err)
}

// FailPayin implements the service.
func (s *TraderService) FailPayin(
	ctx context.Context, req *connect.Request[portalv1.FailPayinRequest],
) (*connect.Response[portalv1.TraderPayinResponse], error) {
	offer, err := s.payouts.Fail(ctx, caller.From(ctx), req.Msg.GetPayinId(), req.Msg.Reason)
	return offerResponse("Payin failed", offer, err)
}

func offerResponse(
	message string,
	offer payout.Offer,
	err error,
) (*connect.Response[portalv1.TraderPayinResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.TraderPayinResponse{Message: message, Data: offerView(offer)}), nil
}

func offerView(o payout.Offer) *portalv1.TraderPayin {
	return &portalv1.TraderPayin{
		Id:              o.UUID.String(),
		Status:          string(o.Status),
		Amount:          money.Fiat(o.Amount),
		Currency:        o.Currency,
		Method:          o.Method,
		Address:         o.Address,
		Recipient:       optional.Of(o.Recipient),
		BankCode:        o.BankCode,
		BankName:        o.BankName,
		RewardUsdt:      money.USDT(o.RewardUSDT),
		ExpiresAt:       rpc.Timestamp(o.ExpiresAt),
		CreatedAt:       rpc.Timestamp(o.CreatedAt),
		StatusUpdatedAt: rpc.Timestamp(o.StatusAt),
		TakenAt:         rpc.OptionalTime(o.TakenAt),
		StatusReason:    o.StatusReason,
		ProofReference:  o.ProofReference,
	}
}
