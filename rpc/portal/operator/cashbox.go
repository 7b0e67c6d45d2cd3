package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
	"gateway.example/internal/setting"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListCashboxes(
	ctx context.Context, m *portalv1.OperatorServiceListCashboxesRequest,
) (*portalv1.OperatorServiceListCashboxesResponse, error) {
	search := page(m.Search, m.SwitchedOn, m.Limit, m.Cursor)
	search.MerchantID, search.TraderID, search.Currency = m.GetMerchantId(), m.GetTraderCashboxId(), m.GetCurrency()
	list, next, err := s.Settings.Cashboxes(ctx, caller.From(ctx), search)
	return &portalv1.OperatorServiceListCashboxesResponse{Data: rpc.Views(list, cashboxView), NextCursor: next}, err
}

func (s *service) GetCashbox(
	ctx context.Context, req *portalv1.GetCashboxRequest,
) (*portalv1.GetCashboxResponse, error) {
	who, id := caller.From(ctx), req.GetMerchantCashboxId()
	box, err := s.Settings.Cashbox(ctx, who, id)
	if err != nil {
		return nil, err
	}
	methods, err := s.Settings.Methods(ctx, who, id)
	if err != nil {
		return nil, err
	}
	payouts, err := s.Settings.PayoutMethods(ctx, who, id)
	if err != nil {
		return nil, err
	}
	has, err := s.Settings.Balance(ctx, who, ledger.Cashbox, id)
	if err != nil {
		return nil, err
	}
	open, err := s.open(ctx, directory.Whose{MerchantID: box.MerchantID, CashboxID: id})
	return &portalv1.GetCashboxResponse{
		Data: cashboxView(box), Methods: rpc.Views(methods, methodView), PayoutMethods: rpc.Views(payouts, payoutMethodView),
		Balance: ownerBalance(has), OpenPayments: open,
	}, err
}

// cashboxView is a cashbox's settings, of which the logo is not one. Version
// identifies the state that was read: an update that names it is refused once
// somebody else has changed the cashbox.
func cashboxView(c directory.Cashbox) *portalv1.Cashbox {
	return &portalv1.Cashbox{
		Id:                 c.ID,
		MerchantId:         c.MerchantID,
		MerchantName:       c.MerchantName,
		Name:               c.Name,
		Currency:           c.Currency,
		TraderCashboxId:    c.TraderID,
		CollectEnabled:     c.CollectEnabled,
		PageColor:          c.PageColor,
		FrameOrigin:        c.FrameOrigin,
		ReturnHosts:        c.ReturnHosts,
		ReturnAutomatic:    c.ReturnAutomatic,
		PayerEvents:        c.PayerEvents,
		InsuranceUsdt:      money.USDT(c.InsuranceUSDT),
		DepositCallbackUri: c.DepositCallbackURI,
		CreatedAt:          rpc.Timestamp(c.CreatedAt),
		Version:            c.Version,
	}
}

func methodView(m directory.MethodSetting) *portalv1.CashboxMethod {
	view := &portalv1.CashboxMethod{Method: m.Name, Version: m.Version}
	setting.Method.Fill(view, &m)
	return view
}

func payoutMethodView(m directory.PayoutMethodSetting) *portalv1.CashboxPayoutMethod {
	view := &portalv1.CashboxPayoutMethod{Method: m.Name, Version: m.Version}
	setting.PayoutMethod.Fill(view, &m)
	return view
}
