package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// LookService serves portal.v1.LookService.
type LookService struct{ settings *directory.Settings }

var _ portalv1connect.LookServiceHandler = (*LookService)(nil)

// NewLookService makes the handler.
func NewLookService(settings *directory.Settings) *LookService { return &LookService{settings} }

// ListCashboxLooks implements the service.
func (s *LookService) ListCashboxLooks(
	ctx context.Context, _ *connect.Request[portalv1.ListCashboxLooksRequest],
) (*connect.Response[portalv1.ListCashboxLooksResponse], error) {
	looks, err := s.settings.OwnLooks(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListCashboxLooksResponse{}
	for _, look := range looks {
		out.Data = append(out.Data, cashboxLook(look))
	}
	return connect.NewResponse(out), nil
}

// UpdateCashboxLook implements the service.
func (s *LookService) UpdateCashboxLook(
	ctx context.Context, req *connect.Request[portalv1.UpdateCashboxLookRequest],
) (*connect.Response[portalv1.UpdateCashboxLookResponse], error) {
	m := req.Msg
	u := directory.LookUpdate{
		CashboxID: m.GetMerchantCashboxId(), Version: m.GetVersion(), Color: m.PageColor, FrameOrigin: m.FrameOrigin,
		Logo: m.Logo, PayerEvents: m.PayerEvents, DepositCallbackURI: m.DepositCallbackUri,
	}
	if m.GetReturnHosts() != nil {
		hosts := m.GetReturnHosts().GetHosts()
		u.ReturnHosts = &hosts
	}
	look, err := s.settings.UpdateOwnLook(ctx, caller.From(ctx), u)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.UpdateCashboxLookResponse{Look: cashboxLook(look)}), nil
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
