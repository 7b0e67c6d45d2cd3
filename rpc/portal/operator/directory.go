package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) CreateMerchant(
	ctx context.Context, req *portalv1.CreateMerchantRequest,
) (*portalv1.MerchantResponse, error) {
	c, err := s.Settings.CreateMerchant(ctx, caller.From(ctx), directory.NewMerchant{
		Name: req.GetName(), APIEnabled: req.ApiEnabled, RatePercent: req.GetRatePercent(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.MerchantResponse{Change: change, Data: merchantView(c.Now)}, err
}

func (s *service) CreateTrader(
	ctx context.Context, req *portalv1.CreateTraderRequest,
) (*portalv1.TraderResponse, error) {
	c, err := s.Settings.CreateTrader(ctx, caller.From(ctx), directory.NewTrader{
		Name: req.GetName(), SharePercent: req.GetSharePercent(), RatePercent: req.GetRatePercent(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.TraderResponse{Change: change, Data: traderView(c.Now)}, err
}

func (s *service) CreateCashbox(
	ctx context.Context, req *portalv1.CreateCashboxRequest,
) (*portalv1.CreateCashboxResponse, error) {
	c, secret, err := s.Settings.CreateCashbox(ctx, caller.From(ctx), directory.NewCashbox{
		MerchantID: req.GetMerchantId(), Name: req.GetName(), Currency: req.GetCurrency(),
		TraderID: req.GetTraderCashboxId(),
	})
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.CreateCashboxResponse{Change: change, WebhookSecret: secret, Data: cashboxView(c.Now)}, err
}

func (s *service) FundTrader(ctx context.Context, req *portalv1.FundTraderRequest) (*portalv1.SettingResponse, error) {
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.FundTrader, proposal.Payload{
		TraderID: req.GetTraderId(), Amount: req.GetAmount(), Reference: req.GetReference(),
	}, req.GetReason()))
}

func (s *service) WithdrawTrader(
	ctx context.Context, req *portalv1.WithdrawTraderRequest,
) (*portalv1.SettingResponse, error) {
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.WithdrawTrader, proposal.Payload{
		TraderID: req.GetTraderId(), Amount: req.GetAmount(), Reference: req.GetReference(),
	}, req.GetReason()))
}

func page(search *string, on *bool, limit *int32, cursor *string) directory.Search {
	s := directory.Search{Text: optional.Value(search), On: on}
	s.Limit, s.Cursor = limit, cursor
	return s
}

// open counts pending payments.
func (s *service) open(ctx context.Context, of directory.Whose) (int32, error) {
	n, err := s.Settings.OpenPayments(ctx, caller.From(ctx), of)
	return int32(min(n, directory.OpenMost)), err
}

func ownerBalance(b directory.Balance) *portalv1.OwnerBalance {
	return &portalv1.OwnerBalance{AvailableUsdt: money.USDT(b.Available), ReservedUsdt: money.USDT(b.Reserved)}
}
