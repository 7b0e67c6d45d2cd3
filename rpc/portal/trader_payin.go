package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *TraderService) ListPayins(
	ctx context.Context, req *portalv1.ListPayinsRequest,
) (*portalv1.ListTraderPayinsResponse, error) {
	list, cursor, err := s.Payouts.ListForTrader(ctx, caller.From(ctx), payinPage(req))
	return &portalv1.ListTraderPayinsResponse{Data: rpc.Views(list, offerView), NextCursor: cursor}, err
}

func payinPage(m *portalv1.ListPayinsRequest) payout.Page {
	page := payout.Page{Status: m.Status}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	return page
}

func (s *TraderService) TakePayin(
	ctx context.Context, req *portalv1.TakePayinRequest,
) (*portalv1.TraderPayinResponse, error) {
	offer, err := s.Payouts.Take(ctx, caller.From(ctx), req.GetPayinId())
	return offerResponse("Payin taken", offer, err)
}

func (s *TraderService) GiveBackPayin(
	ctx context.Context, req *portalv1.GiveBackPayinRequest,
) (*portalv1.TraderPayinResponse, error) {
	offer, err := s.Payouts.GiveBack(ctx, caller.From(ctx), req.GetPayinId(), req.Reason)
	return offerResponse("Payin given back", offer, err)
}

func (s *TraderService) CompletePayin(
	ctx context.Context, req *portalv1.CompletePayinRequest,
) (*portalv1.TraderPayinResponse, error) {
	proof := payout.Proof{
		Reference: req.ProofReference, FileName: req.GetFileName(), File: rpc.UploadedFile(ctx, req.File),
	}
	offer, err := s.Payouts.Prove(ctx, caller.From(ctx), req.GetPayinId(), proof)
	return offerResponse("Payin completed", offer, err)
}

func (s *TraderService) FailPayin(
	ctx context.Context, req *portalv1.FailPayinRequest,
) (*portalv1.TraderPayinResponse, error) {
	offer, err := s.Payouts.Fail(ctx, caller.From(ctx), req.GetPayinId(), req.Reason)
	return offerResponse("Payin failed", offer, err)
}

func offerResponse(message string, offer payout.Offer, err error) (*portalv1.TraderPayinResponse, error) {
	return &portalv1.TraderPayinResponse{Message: message, Data: offerView(offer)}, err
}

// offerView is a payout as a trader may see it: until they have taken it, its
// requisite is masked and it has no recipient.
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
