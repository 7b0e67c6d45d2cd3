package operator

import (
	"context"

	"gateway.example/internal/acquirer"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListTraders(
	ctx context.Context, m *portalv1.ListTradersRequest,
) (*portalv1.ListTradersResponse, error) {
	list, next, err := s.Settings.Traders(ctx, caller.From(ctx), page(m.Search, m.SwitchedOn, m.Limit, m.Cursor))
	return &portalv1.ListTradersResponse{Data: rpc.Views(list, traderView), NextCursor: next}, err
}

func (s *service) GetTrader(ctx context.Context, req *portalv1.GetTraderRequest) (*portalv1.GetTraderResponse, error) {
	who, id := caller.From(ctx), req.GetTraderId()
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
	return &portalv1.GetTraderResponse{
		Data:          traderView(t),
		PayoutMethods: rpc.Views(payouts, traderPayoutView),
		Acquirers:     rpc.Views(acquirers, processorView),
		Balance:       ownerBalance(has),
		OpenPayments:  open,
	}, err
}

func (s *service) UpdateTrader(
	ctx context.Context, req *portalv1.UpdateTraderRequest,
) (*portalv1.TraderResponse, error) {
	u := directory.TraderUpdate{ID: req.GetTraderId(), Seen: req.GetVersion(), Reason: req.GetReason()}
	setting.Trader.Fill(&u, req)
	c, err := s.Settings.UpdateTrader(ctx, caller.From(ctx), u)
	change, err := portal.SettingChange(c.SettingChange, err)
	return &portalv1.TraderResponse{Change: change, Data: traderView(c.Now)}, err
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
