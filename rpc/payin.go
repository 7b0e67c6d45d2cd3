package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payout"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// PayinService serves gateway.v1.PayinService.
type PayinService struct{ payouts *payout.Service }

var _ gatewayv1connect.PayinServiceHandler = (*PayinService)(nil)

// NewPayinService makes the handler.
func NewPayinService(payouts *payout.Service) *PayinService { return &PayinService{payouts: payouts} }

// CreatePayin implements the service.
func (s *PayinService) CreatePayin(
	ctx context.Context, req *connect.Request[gatewayv1.CreatePayinRequest],
) (*connect.Response[gatewayv1.CreatePayinResponse], error) {
	m := req.Msg
	created, err := s.payouts.Create(ctx, caller.From(ctx), payout.Request{
		OrderID: m.GetOrderId(), Amount: m.GetAmount(), Currency: m.GetCurrency(), CallbackURI: m.GetCallbackUri(),
		Method: m.GetMethod(), Address: m.GetAddress(), Recipient: m.GetRecipient(), Code: m.Code, BankName: m.BankName,
		UserID: m.UserId, UserIP: m.UserIp, Metadata: m.GetMetadata(),
	})
	if err != nil {
		return nil, err
	}
	res := connect.NewResponse(&gatewayv1.CreatePayinResponse{Message: "Payin created", Data: PayinView(created.Payin)})
	markRepeat(res.Header(), created.Replay, created.Mismatch)
	return res, nil
}

// GetPayin implements the service.
func (s *PayinService) GetPayin(
	ctx context.Context, req *connect.Request[gatewayv1.GetPayinRequest],
) (*connect.Response[gatewayv1.GetPayinResponse], error) {
	p, err := s.payouts.Get(ctx, caller.From(ctx), req.Msg.GetPayinId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.GetPayinResponse{Data: PayinView(p)}), nil
}

// ListPayins implements the service.
func (s *PayinService) ListPayins(
	ctx context.Context, req *connect.Request[gatewayv1.ListPayinsRequest],
) (*connect.Response[gatewayv1.ListPayinsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	query := payout.Query{Page: payout.Page{Status: m.Status}, OrderID: m.OrderId, Metadata: m.GetMetadata()}
	query.Limit, query.Cursor = m.Limit, m.Cursor
	query.From, query.To = Instant(found, "from", m.GetFrom()), Instant(found, "to", m.GetTo())
	list, cursor, err := s.payouts.ListOwn(fault.WithDecoded(ctx, found), caller.From(ctx), query)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.ListPayinsResponse{Data: PayinViews(list), NextCursor: cursor}), nil
}

// CancelPayin implements the service.
func (s *PayinService) CancelPayin(
	ctx context.Context, req *connect.Request[gatewayv1.CancelPayinRequest],
) (*connect.Response[gatewayv1.CancelPayinResponse], error) {
	p, err := s.payouts.Cancel(ctx, caller.From(ctx), req.Msg.GetPayinId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.CancelPayinResponse{Message: "Payin cancelled", Data: PayinView(p)}), nil
}

// PayinView shows a payout to its merchant and to operators: never the whole requisite.
func PayinView(p payout.Payin) *gatewayv1.Payin {
	return &gatewayv1.Payin{
		Id:              p.UUID.String(),
		OrderId:         p.OrderID,
		Status:          string(p.Status),
		Amount:          money.Fiat(p.Amount),
		Currency:        p.Currency,
		Method:          p.Method,
		Beneficiary:     &gatewayv1.Beneficiary{Value: p.AddressMask, Holder: p.Recipient, Bank: p.Bank()},
		FrozenUsdt:      money.USDT(p.FrozenUSDT),
		ExpiresAt:       Timestamp(p.ExpiresAt),
		CreatedAt:       Timestamp(p.CreatedAt),
		StatusUpdatedAt: Timestamp(p.StatusAt),
		StatusReason:    p.StatusReason,
		ProofReference:  p.ProofReference,
		Metadata:        p.Metadata,
	}
}

// PayinViews is PayinView of each.
func PayinViews(list []payout.Payin) []*gatewayv1.Payin {
	views := make([]*gatewayv1.Payin, 0, len(list))
	for _, p := range list {
		views = append(views, PayinView(p))
	}
	return views
}
