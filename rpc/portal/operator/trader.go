package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func traderSet(c *portalv1.SettingChange, t directory.Trader) *portalv1.TraderResponse {
	return &portalv1.TraderResponse{Change: c, Data: traderView(t)}
}

func traderPayoutSet(c *portalv1.SettingChange, m directory.TraderPayoutSetting) *portalv1.TraderPayoutMethodResponse {
	return &portalv1.TraderPayoutMethodResponse{Change: c, Data: traderPayoutView(m)}
}

// ListTraders implements the service.
func (s *Service) ListTraders(
	ctx context.Context, req *connect.Request[portalv1.ListTradersRequest],
) (*connect.Response[portalv1.ListTradersResponse], error) {
	m := req.Msg
	list, next, err := s.Settings.Traders(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListTradersResponse{Data: rpc.Views(list, traderView), NextCursor: next}), nil
}

// GetTrader implements the service.
func (s *Service) GetTrader(
	ctx context.Context, req *connect.Request[portalv1.GetTraderRequest],
) (*connect.Response[portalv1.GetTraderResponse], error) {
	who, id := caller.From(ctx), req.Msg.GetTraderId()
	t, err := s.Settings.Trader(ctx, who, id)
	if err != nil {
		return nil, err
	}
	payouts, err := s.Settings.TraderPayouts(ctx, who, id)
	if err != nil {
		return nil, err
	}
	acquirers, err := s.Acquirers.List(ctx, who, id)
	if err != nil {
		return nil, err
	}
	has, err := s.Settings.Balance(ctx, who, ledger.Trader, id)
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{TraderID: id})
	return connect.NewResponse(&portalv1.GetTraderResponse{
		Data:          traderView(t),
		PayoutMethods: rpc.Views(payouts, traderPayoutView),
		Acquirers:     rpc.Views(acquirers, processorView),
		Balance:       ownerBalance(has),
		OpenPayments:  open,
	}), err
}

// UpdateTrader implements the service.
func (s *Service) UpdateTrader(
	ctx context.Context, req *connect.Request[portalv1.UpdateTraderRequest],
) (*connect.Response[portalv1.TraderResponse], error) {
	u := directory.TraderUpdate{ID: req.Msg.GetTraderId(), Seen: req.Msg.GetVersion(), Reason: req.Msg.GetReason()}
	setting.Trader.Fill(&u, req.Msg)
	c, err := s.Settings.UpdateTrader(ctx, caller.From(ctx), u)
	return settled(c, err, traderSet)
}

func traderView(t directory.Trader) *portalv1.Trader {
	view := &portalv1.Trader{Id: t.ID, OnBreak: t.OnBreak, CreatedAt: rpc.Timestamp(t.CreatedAt), Version: t.Version}
	setting.Trader.Fill(view, &t)
	return view
}

func traderPayoutView(m directory.TraderPayoutSetting) *portalv1.TraderPayoutMethod {
	return &portalv1.TraderPayoutMethod{Currency: m.Currency, Method: m.Method, Enabled: m.Enabled, Version: m.Version}
}

func processorView(p acquirer.Processor) *portalv1.Acquirer {
	return &portalv1.Acquirer{
		Id: p.ID, Url: p.URL, KeyId: p.KeyID, Present: p.Present, Open: p.Open, Version: p.Version,
	}
}
