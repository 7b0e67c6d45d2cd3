package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListOverduePayins implements the service.
func (s *Service) ListOverduePayins(
	ctx context.Context, req *connect.Request[portalv1.ListOverduePayinsRequest],
) (*connect.Response[portalv1.ListOverduePayinsResponse], error) {
	var page payout.Page
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Payouts.ListOverdue(ctx, caller.From(ctx), page.Page)
	if err != nil {
		return nil, err
	}
	data := make([]*portalv1.OperatorPayin, 0, len(list))
	for _, p := range list {
		data = append(data, operatorPayin(p))
	}
	return connect.NewResponse(&portalv1.ListOverduePayinsResponse{Data: data, NextCursor: cursor}), nil
}

// ResolvePayin implements the service.
func (s *Service) ResolvePayin(
	ctx context.Context, req *connect.Request[portalv1.ResolvePayinRequest],
) (*connect.Response[portalv1.OperatorPayinResponse], error) {
	p, err := s.Payouts.Resolve(ctx, caller.From(ctx), req.Msg.GetPayinId(), payout.Resolution{
		Outcome: req.Msg.GetOutcome(), Reason: req.Msg.Reason, ProofReference: req.Msg.ProofReference,
	})
	return operatorPayinResponse("Payin resolved", p, err)
}

// ReclaimPayin implements the service.
func (s *Service) ReclaimPayin(
	ctx context.Context, req *connect.Request[portalv1.ReclaimPayinRequest],
) (*connect.Response[portalv1.OperatorPayinResponse], error) {
	p, err := s.Payouts.Reclaim(ctx, caller.From(ctx), req.Msg.GetPayinId(), req.Msg.Reason)
	return operatorPayinResponse("Payin reclaimed", p, err)
}

// ReversePayin implements the service.
func (s *Service) ReversePayin(
	ctx context.Context, req *connect.Request[portalv1.ReversePayinRequest],
) (*connect.Response[portalv1.OperatorPayinResponse], error) {
	p, err := s.Payouts.Reverse(ctx, caller.From(ctx), req.Msg.GetPayinId(), req.Msg.Reason)
	return operatorPayinResponse("Payin reversed", p, err)
}

func operatorPayinResponse(
	message string,
	p payout.Payin,
	err error,
) (*connect.Response[portalv1.OperatorPayinResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.OperatorPayinResponse{Message: message, Data: operatorPayin(p)}), nil
}

func operatorPayin(p payout.Payin) *portalv1.OperatorPayin {
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

// SetCashboxPayoutMethod implements the service.
func (s *Service) SetCashboxPayoutMethod(
	ctx context.Context, req *connect.Request[portalv1.SetCashboxPayoutMethodRequest],
) (*connect.Response[portalv1.CashboxPayoutMethodResponse], error) {
	c, err := s.Settings.SetPayoutMethod(ctx, caller.From(ctx), directory.CashboxPayoutMethod{
		CashboxID: req.Msg.GetMerchantCashboxId(), Name: req.Msg.GetMethod(), Enabled: req.Msg.GetEnabled(),
		MarkupPercent: req.Msg.GetMarkupPercent(), ValiditySeconds: req.Msg.GetValiditySeconds(),
		MinAmount: req.Msg.GetMinAmount(), MaxAmount: req.Msg.GetMaxAmount(), Seen: req.Msg.GetVersion(),
	})
	return settled(c, err, payoutMethodSet)
}

// SetTraderPayoutMethod implements the service.
func (s *Service) SetTraderPayoutMethod(
	ctx context.Context, req *connect.Request[portalv1.SetTraderPayoutMethodRequest],
) (*connect.Response[portalv1.TraderPayoutMethodResponse], error) {
	c, err := s.Settings.SetTraderPayoutMethod(ctx, caller.From(ctx), directory.TraderPayoutMethod{
		TraderID: req.Msg.GetTraderId(),
		Currency: req.Msg.GetCurrency(),
		Method:   req.Msg.GetMethod(),
		Enabled:  req.Msg.GetEnabled(),
		Seen:     req.Msg.GetVersion(),
	})
	return settled(c, err, traderPayoutSet)
}
