package portal

import (
	"context"

	"gateway.example/internal/auth"
	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/paylink"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type LinkService struct {
	Links  *paylink.Service
	Tokens *auth.Links
	PayURL string
}

func (s *LinkService) CreateLink(
	ctx context.Context, m *portalv1.CreateLinkRequest,
) (*portalv1.CreateLinkResponse, error) {
	made, err := s.Links.Create(ctx, caller.From(ctx), paylink.Draft{
		CashboxID: m.GetCashboxId(), Title: m.GetTitle(), Description: m.GetDescription(), Amount: m.GetAmount(),
		Least: m.GetMinAmount(), Most: m.GetMaxAmount(), Methods: m.GetMethods(), MaxPayments: m.GetMaxPayments(),
		EndsAt: rpc.Instant(m.GetEndsAt()), ReturnURL: m.GetReturnUrl(), Callback: m.GetCallbackUri(),
	})
	return &portalv1.CreateLinkResponse{Link: s.view(made)}, err
}

func (s *LinkService) ListLinks(
	ctx context.Context, m *portalv1.ListLinksRequest,
) (*portalv1.ListLinksResponse, error) {
	page := paylink.Page{States: m.GetState(), MerchantID: m.GetMerchantId(), Search: m.GetSearch()}
	if m.GetOpen() {
		page.States = append(page.States, string(paylink.Taking), string(paylink.UsedUp), string(paylink.Over))
	}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	list, next, err := s.Links.List(ctx, caller.From(ctx), page)
	return &portalv1.ListLinksResponse{Data: rpc.Views(list, s.view), NextCursor: next}, err
}

func (s *LinkService) GetLink(ctx context.Context, req *portalv1.GetLinkRequest) (*portalv1.GetLinkResponse, error) {
	who := caller.From(ctx)
	found, err := s.Links.Get(ctx, who, req.GetId())
	if err != nil {
		return nil, err
	}
	payments, err := s.Links.Payments(ctx, who, found)
	return &portalv1.GetLinkResponse{Link: s.view(found), Payments: rpc.Views(payments, linkPayment)}, err
}

func (s *LinkService) CloseLink(
	ctx context.Context, req *portalv1.CloseLinkRequest,
) (*portalv1.CloseLinkResponse, error) {
	closed, err := s.Links.Close(ctx, caller.From(ctx), req.GetId())
	return &portalv1.CloseLinkResponse{Link: s.view(closed)}, err
}

func (s *LinkService) SetLinkPicture(
	ctx context.Context, req *portalv1.SetLinkPictureRequest,
) (*portalv1.SetLinkPictureResponse, error) {
	who := caller.From(ctx)
	if err := who.Need(caller.MerchantSell); err != nil {
		return nil, err
	}
	picture, err := rpc.WholeUpload(ctx, req.GetFile())
	if err != nil {
		return nil, err
	}
	if err := s.Links.SetPicture(ctx, who, req.GetId(), picture); err != nil {
		return nil, err
	}
	changed, err := s.Links.Get(ctx, who, req.GetId())
	return &portalv1.SetLinkPictureResponse{Link: s.view(changed)}, err
}

// view is a link with the full addresses of its page and its picture. Ended
// says that it takes no payments, whatever the reason: it was closed, its time
// is over, or it is used up.
func (s *LinkService) view(l paylink.Link) *portalv1.Link {
	var picture *string
	if l.PictureHash != nil {
		picture = new(l.PictureURL(s.PayURL, s.Tokens))
	}
	return &portalv1.Link{
		Id: l.ID, Url: l.URL(s.PayURL, s.Tokens), CashboxId: l.CashboxID, Title: l.Title, Description: l.Description,
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
