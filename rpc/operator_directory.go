package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// CreateMerchant implements the service.
func (s *OperatorService) CreateMerchant(
	ctx context.Context, req *connect.Request[portalv1.CreateMerchantRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return settingResponse(s.Settings.CreateMerchant(ctx, caller.From(ctx), directory.NewMerchant{
		Name: req.Msg.GetName(), APIEnabled: req.Msg.ApiEnabled, RatePercent: req.Msg.GetRatePercent(),
	}))
}

// CreateTrader implements the service.
func (s *OperatorService) CreateTrader(
	ctx context.Context, req *connect.Request[portalv1.CreateTraderRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return settingResponse(s.Settings.CreateTrader(ctx, caller.From(ctx), directory.NewTrader{
		Name: req.Msg.GetName(), SharePercent: req.Msg.GetSharePercent(), RatePercent: req.Msg.GetRatePercent(),
	}))
}

// CreateCashbox implements the service.
func (s *OperatorService) CreateCashbox(
	ctx context.Context, req *connect.Request[portalv1.CreateCashboxRequest],
) (*connect.Response[portalv1.CreateCashboxResponse], error) {
	c, secret, err := s.Settings.CreateCashbox(ctx, caller.From(ctx), directory.NewCashbox{
		MerchantID: req.Msg.GetMerchantId(), Name: req.Msg.GetName(), Currency: req.Msg.GetCurrency(),
		TraderID: req.Msg.GetTraderCashboxId(),
	})
	if err != nil {
		return nil, err
	}
	change, err := settingChange(c)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CreateCashboxResponse{Change: change, WebhookSecret: secret}), nil
}

// FundTrader implements the service.
func (s *OperatorService) FundTrader(
	ctx context.Context, req *connect.Request[portalv1.FundTraderRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return settingResponse(s.Settings.FundTrader(ctx, caller.From(ctx), directory.Funding{
		TraderID: req.Msg.GetTraderId(), Amount: req.Msg.GetAmount(), Reference: req.Msg.GetReference(),
	}))
}

// WithdrawTrader implements the service.
func (s *OperatorService) WithdrawTrader(
	ctx context.Context, req *connect.Request[portalv1.WithdrawTraderRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return settingResponse(s.Settings.WithdrawTrader(ctx, caller.From(ctx), directory.Funding{
		TraderID: req.Msg.GetTraderId(), Amount: req.Msg.GetAmount(), Reference: req.Msg.GetReference(),
	}))
}
