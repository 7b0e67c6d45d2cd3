package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/paylink"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// LinkService serves portal.v1.LinkService.
type LinkService struct {
	links  *paylink.Service
	tokens *auth.Links
	payURL string
}

var _ portalv1connect.LinkServiceHandler = (*LinkService)(nil)

// NewLinkService makes the handler. payURL is the address of the hosted pages, without a trailing slash.
func NewLinkService(links *paylink.Service, tokens *auth.Links, payURL string) *LinkService {
	return &LinkService{links, tokens, payURL}
}

// CreateLink implements the service.
func (s *LinkService) CreateLink(
	ctx context.Context, req *connect.Request[portalv1.CreateLinkRequest],
) (*connect.Response[portalv1.CreateLinkResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	ends := rpc.Instant(found, "endsAt", m.GetEndsAt())
	made, err := s.links.Create(fault.WithDecoded(ctx, found), caller.From(ctx), paylink.Draft{
		CashboxID: m.GetCashboxId(), Title: m.GetTitle(), Description: m.GetDescription(), Amount: m.GetAmount(),
		Least: m.GetMinAmount(), Most: m.GetMaxAmount(), Methods: m.GetMethods(), MaxPayments: m.GetMaxPayments(),
		EndsAt: ends, ReturnURL: m.GetReturnUrl(), Callback: m.GetCallbackUri(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CreateLinkResponse{Link: s.view(made)}), nil
}

// ListLinks implements the service.
func (s *LinkService) ListLinks(
	ctx context.Context, req *connect.Request[portalv1.ListLinksRequest],
) (*connect.Response[portalv1.ListLinksResponse], error) {
	m := req.Msg
	page := paylink.Page{States: m.GetState(), MerchantID: m.GetMerchantId(), Search: m.GetSearch()}
	if m.GetOpen() {
		page.States = append(page.States, string(paylink.Taking), string(paylink.UsedUp), string(paylink.Over))
	}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	list, next, err := s.links.List(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListLinksResponse{Data: rpc.Views(list, s.view), NextCursor: next}), nil
}

// GetLink implements the service.
func (s *LinkService) GetLink(
	ctx context.Context, req *connect.Request[portalv1.GetLinkRequest],
) (*connect.Response[portalv1.GetLinkResponse], error) {
	who := caller.From(ctx)
	found, err := s.links.Get(ctx, who, req.Msg.GetId())
	if err != nil {
		return nil, err
	}
	payments, err := s.links.Payments(ctx, who, found)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetLinkResponse{Link: s.view(found), Payments: rpc.Views(payments, linkPayment)}), nil
}

// CloseLink implements the service.
func (s *LinkService) CloseLink(
	ctx context.Context, req *connect.Request[portalv1.CloseLinkRequest],
) (*connect.Response[portalv1.CloseLinkResponse], error) {
	closed, err := s.links.Close(ctx, caller.From(ctx), req.Msg.GetId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CloseLinkResponse{Link: s.view(closed)}), nil
}

// SetLinkPicture implements the service.
func (s *LinkService) SetLinkPicture(
	ctx context.Context, req *connect.Request[portalv1.SetLinkPictureRequest],
) (*connect.Response[portalv1.SetLinkPictureResponse], error) {
	who := caller.From(ctx)
	if err := who.Need(caller.MerchantSell); err != nil {
		return nil, err
	}
	picture, err := rpc.WholeUpload(ctx, req.Msg.GetFile())
	if err != nil {
		return nil, err
	}
	if err := s.links.SetPicture(ctx, who, req.Msg.GetId(), picture); err != nil {
		return nil, err
	}
	changed, err := s.links.Get(ctx, who, req.Msg.GetId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.SetLinkPictureResponse{Link: s.view(changed)}), nil
}

func (s *LinkService) view(l paylink.Link) *portalv1.Link {
	var picture *string
	if l.PictureHash != nil {
		picture = new(l.PictureURL(s.payURL, s.tokens))
	}
	return &portalv1.Link{
		Id: l.ID, Url: l.URL(s.payURL, s.tokens), CashboxId: l.CashboxID, Title: l.Title, Description: l.Description,
		Amount: rpc.OptionalFiat(l.Amount), MinAmount: rpc.OptionalFiat(l.MinAmount), MaxAmount: rpc.OptionalFiat(l.MaxAmount), Methods: l.Methods,
		MaxPayments: l.MaxPayments, EndsAt: rpc.OptionalTime(l.EndsAt), ReturnUrl: l.ReturnURL, CallbackUri: l.Callback(),
		CreatedAt: rpc.Timestamp(l.CreatedAt), ClosedAt: rpc.OptionalTime(l.ClosedAt), Ended: l.State != paylink.Taking,
		Payments: l.Payments, Completed: l.Completed, Came: money.Fiat(l.Came),
		PictureUrl: picture, Currency: l.Currency, MerchantId: l.MerchantID,
	}
}

func linkPayment(p paylink.Paid) *portalv1.LinkPayment {
	return &portalv1.LinkPayment{
		Id: p.ID, Status: p.Status, Amount: money.Fiat(p.Amount), Currency: p.Currency, Method: p.Method,
		CreatedAt: rpc.Timestamp(p.CreatedAt),
	}
}
