package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payout"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type PayinService struct{ Payouts *payout.Service }

func (s *PayinService) CreatePayin(
	ctx context.Context, m *gatewayv1.CreatePayinRequest,
) (*gatewayv1.CreatePayinResponse, error) {
	created, err := s.Payouts.Create(ctx, caller.From(ctx), payout.Request{
		OrderID: m.GetOrderId(), Amount: m.GetAmount(), Currency: m.GetCurrency(), CallbackURI: m.GetCallbackUri(),
		Method: m.GetMethod(), Address: m.GetAddress(), Recipient: m.GetRecipient(), Code: m.Code, BankName: m.BankName,
		UserID: m.UserId, UserIP: m.UserIp, Metadata: m.GetMetadata(),
	})
	MarkRepeat(ctx, created.Replay, created.Mismatch, err)
	return &gatewayv1.CreatePayinResponse{Message: "Payin created", Data: PayinView(created.Payout)}, err
}

func (s *PayinService) GetPayin(
	ctx context.Context, req *gatewayv1.GetPayinRequest,
) (*gatewayv1.GetPayinResponse, error) {
	p, err := s.Payouts.Get(ctx, caller.From(ctx), req.GetPayinId())
	return &gatewayv1.GetPayinResponse{Data: PayinView(p)}, err
}

func (s *PayinService) ListPayins(
	ctx context.Context, m *gatewayv1.ListPayinsRequest,
) (*gatewayv1.ListPayinsResponse, error) {
	query := payout.Query{Page: payout.Page{Status: m.Status}, OrderID: m.OrderId, Metadata: m.GetMetadata()}
	query.Limit, query.Cursor, query.From, query.To = m.Limit, m.Cursor, Instant(m.GetFrom()), Instant(m.GetTo())
	list, cursor, err := s.Payouts.ListOwn(ctx, caller.From(ctx), query)
	return &gatewayv1.ListPayinsResponse{Data: Views(list, PayinView), NextCursor: cursor}, err
}

func (s *PayinService) CancelPayin(
	ctx context.Context, req *gatewayv1.CancelPayinRequest,
) (*gatewayv1.CancelPayinResponse, error) {
	p, err := s.Payouts.Cancel(ctx, caller.From(ctx), req.GetPayinId())
	return &gatewayv1.CancelPayinResponse{Message: "Payin cancelled", Data: PayinView(p)}, err
}

// PayinView shows a payout to its merchant and to operators: never the whole
// requisite.
func PayinView(p payout.Payout) *gatewayv1.Payin {
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
