package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type LookService struct{ Settings *directory.Settings }

func (s *LookService) ListCashboxLooks(
	ctx context.Context, _ *portalv1.ListCashboxLooksRequest,
) (*portalv1.ListCashboxLooksResponse, error) {
	looks, err := s.Settings.OwnLooks(ctx, caller.From(ctx))
	return &portalv1.ListCashboxLooksResponse{Data: rpc.Views(looks, cashboxLook)}, err
}

func (s *LookService) UpdateCashboxLook(
	ctx context.Context, m *portalv1.UpdateCashboxLookRequest,
) (*portalv1.UpdateCashboxLookResponse, error) {
	u := directory.LookUpdate{
		CashboxID: m.GetMerchantCashboxId(), Version: m.GetVersion(), Color: m.PageColor, FrameOrigin: m.FrameOrigin,
		Logo: m.Logo, PayerEvents: m.PayerEvents, DepositCallbackURI: m.DepositCallbackUri,
	}
	if m.GetReturnHosts() != nil {
		hosts := m.GetReturnHosts().GetHosts()
		u.ReturnHosts = &hosts
	}
	look, err := s.Settings.UpdateOwnLook(ctx, caller.From(ctx), u)
	return &portalv1.UpdateCashboxLookResponse{Look: cashboxLook(look)}, err
}

func cashboxLook(l directory.OwnLook) *portalv1.CashboxLook {
	path := ""
	if l.Logo != "" {
		path = directory.LogoPath + l.Logo
	}
	return &portalv1.CashboxLook{
		MerchantCashboxId: l.CashboxID, Name: l.Name, Currency: l.Currency, PageColor: l.Color,
		FrameOrigin: l.FrameOrigin, ReturnHosts: l.ReturnHosts, PayerEvents: l.PayerEvents, Version: l.Version(),
		LogoPath: path, DepositCallbackUri: l.DepositCallbackURI,
	}
}
