package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/money"
	"gateway.example/internal/proposal"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// CreateMerchant implements the service.
func (s *Service) CreateMerchant(
	ctx context.Context, req *connect.Request[portalv1.CreateMerchantRequest],
) (*connect.Response[portalv1.MerchantResponse], error) {
	c, err := s.Settings.CreateMerchant(ctx, caller.From(ctx), directory.NewMerchant{
		Name: req.Msg.GetName(), APIEnabled: req.Msg.ApiEnabled, RatePercent: req.Msg.GetRatePercent(),
	})
	return settled(c, err, merchantSet)
}

// CreateTrader implements the service.
func (s *Service) CreateTrader(
	ctx context.Context, req *connect.Request[portalv1.CreateTraderRequest],
) (*connect.Response[portalv1.TraderResponse], error) {
	c, err := s.Settings.CreateTrader(ctx, caller.From(ctx), directory.NewTrader{
		Name: req.Msg.GetName(), SharePercent: req.Msg.GetSharePercent(), RatePercent: req.Msg.GetRatePercent(),
	})
	return settled(c, err, traderSet)
}

// CreateCashbox implements the service.
func (s *Service) CreateCashbox(
	ctx context.Context, req *connect.Request[portalv1.CreateCashboxRequest],
) (*connect.Response[portalv1.CreateCashboxResponse], error) {
	c, secret, err := s.Settings.CreateCashbox(ctx, caller.From(ctx), directory.NewCashbox{
		MerchantID: req.Msg.GetMerchantId(), Name: req.Msg.GetName(), Currency: req.Msg.GetCurrency(),
		TraderID: req.Msg.GetTraderCashboxId(),
	})
	return settled(c, err, func(change *portalv1.SettingChange, box directory.Cashbox) *portalv1.CreateCashboxResponse {
		return &portalv1.CreateCashboxResponse{Change: change, WebhookSecret: secret, Data: cashboxView(box)}
	})
}

// FundTrader implements the service.
func (s *Service) FundTrader(
	ctx context.Context, req *connect.Request[portalv1.FundTraderRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.FundTrader, proposal.Payload{
		TraderID: req.Msg.GetTraderId(), Amount: req.Msg.GetAmount(), Reference: req.Msg.GetReference(),
	}, req.Msg.GetReason()))
}

// WithdrawTrader implements the service.
func (s *Service) WithdrawTrader(
	ctx context.Context, req *connect.Request[portalv1.WithdrawTraderRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.WithdrawTrader, proposal.Payload{
		TraderID: req.Msg.GetTraderId(), Amount: req.Msg.GetAmount(), Reference: req.Msg.GetReference(),
	}, req.Msg.GetReason()))
}

// page asks for a page of a list of the directory.
func page(search *string, on *bool, limit *int32, cursor *string) directory.Search {
	s := directory.Search{On: on}
	if search != nil {
		s.Text = *search
	}
	s.Limit, s.Cursor = limit, cursor
	return s
}

// open counts pending payments.
func (s *Service) open(ctx context.Context, of directory.Whose) (int32, error) {
	n, err := s.Settings.OpenPayments(ctx, caller.From(ctx), of)
	return int32(min(n, directory.OpenMost)), err
}

func ownerBalance(b directory.Balance) *portalv1.OwnerBalance {
	return &portalv1.OwnerBalance{AvailableUsdt: money.USDT(b.Available), ReservedUsdt: money.USDT(b.Reserved)}
}
