package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/payout"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListOverduePayins(
	ctx context.Context, req *portalv1.ListOverduePayinsRequest,
) (*portalv1.ListOverduePayinsResponse, error) {
	var page payout.Page
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Payouts.ListOverdue(ctx, caller.From(ctx), page.Page)
	return &portalv1.ListOverduePayinsResponse{Data: rpc.Views(list, operatorPayin), NextCursor: cursor}, err
}

func (s *service) ResolvePayin(
	ctx context.Context, req *portalv1.ResolvePayinRequest,
) (*portalv1.OperatorPayinResponse, error) {
	p, err := s.Payouts.Resolve(ctx, caller.From(ctx), req.GetPayinId(), payout.Resolution{
		Outcome: req.GetOutcome(), Reason: req.Reason, ProofReference: req.ProofReference, TakenAt: rpc.Instant(req.TakenAt),
	})
	return operatorPayinResponse("Payin resolved", p, err)
}

func (s *service) ReclaimPayin(
	ctx context.Context, req *portalv1.ReclaimPayinRequest,
) (*portalv1.OperatorPayinResponse, error) {
	p, err := s.Payouts.Reclaim(ctx, caller.From(ctx), req.GetPayinId(), payout.Resolution{
		Reason: req.Reason, TakenAt: rpc.Instant(req.TakenAt),
	})
	return operatorPayinResponse("Payin reclaimed", p, err)
}

func (s *service) ReversePayin(
	ctx context.Context, req *portalv1.ReversePayinRequest,
) (*portalv1.OperatorPayinResponse, error) {
	p, err := s.Payouts.Reverse(ctx, caller.From(ctx), req.GetPayinId(), req.Reason)
	return operatorPayinResponse("Payin reversed", p, err)
}

func operatorPayinResponse(message string, p payout.Payout, err error) (*portalv1.OperatorPayinResponse, error) {
	return &portalv1.OperatorPayinResponse{Message: message, Data: operatorPayin(p)}, err
}

// operatorPayin adds to a payin, as its merchant gets it, whose it is, which
// trader took it and when, and the bank and the user that the merchant named.
// The requisite stays masked.
func operatorPayin(p payout.Payout) *portalv1.OperatorPayin {
	return &portalv1.OperatorPayin{
		Payin:             rpc.PayinView(p),
		MerchantId:        p.MerchantID,
		MerchantCashboxId: p.CashboxID,
		TraderId:          p.TraderID,
		TakenAt:           rpc.OptionalTime(p.TakenAt),
		Code:              p.BankCode,
		BankName:          p.BankName,
		UserId:            p.UserID,
		UserIp:            p.UserIP,
	}
}

func (s *service) SetCashboxPayoutMethod(
	ctx context.Context, req *portalv1.SetCashboxPayoutMethodRequest,
) (*portalv1.CashboxPayoutMethodResponse, error) {
	m := directory.CashboxPayoutMethod{CashboxID: req.GetMerchantCashboxId(), Name: req.GetMethod(), Seen: req.GetVersion()}
	setting.PayoutMethod.Fill(&m, req)
	c, err := s.Settings.SetPayoutMethod(ctx, caller.From(ctx), m)
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.CashboxPayoutMethodResponse{Change: change, Data: payoutMethodView(c.Now)}, err
}

func (s *service) SetTraderPayoutMethod(
	ctx context.Context, req *portalv1.SetTraderPayoutMethodRequest,
) (*portalv1.TraderPayoutMethodResponse, error) {
	c, err := s.Settings.SetTraderPayoutMethod(ctx, caller.From(ctx), directory.TraderPayoutMethod{
		TraderID: req.GetTraderId(),
		Currency: req.GetCurrency(),
		Method:   req.GetMethod(),
		Enabled:  req.GetEnabled(),
		Seen:     req.GetVersion(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.TraderPayoutMethodResponse{Change: change, Data: traderPayoutView(c.Now)}, err
}
