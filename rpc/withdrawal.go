package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/withdrawal"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type WithdrawalService struct{ Withdrawals *withdrawal.Service }

func (s *WithdrawalService) CreateWithdrawal(
	ctx context.Context, m *gatewayv1.CreateWithdrawalRequest,
) (*gatewayv1.CreateWithdrawalResponse, error) {
	created, err := s.Withdrawals.Request(ctx, caller.From(ctx), withdrawal.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), Network: m.GetNetwork(), Address: m.GetAddress(),
		OrderID: m.GetOrderId(), CallbackURI: m.GetCallbackUri(),
	})
	MarkRepeat(ctx, created.Replay, created.Mismatch, err)
	return &gatewayv1.CreateWithdrawalResponse{Data: WithdrawalView(created.Withdrawal)}, err
}

func (s *WithdrawalService) GetWithdrawal(
	ctx context.Context, req *gatewayv1.GetWithdrawalRequest,
) (*gatewayv1.GetWithdrawalResponse, error) {
	w, err := s.Withdrawals.Get(ctx, caller.From(ctx), req.GetWithdrawalId())
	return &gatewayv1.GetWithdrawalResponse{Data: WithdrawalView(w)}, err
}

func (s *WithdrawalService) ListWithdrawals(
	ctx context.Context, m *gatewayv1.ListWithdrawalsRequest,
) (*gatewayv1.ListWithdrawalsResponse, error) {
	page := withdrawal.Page{Status: m.Status, OrderID: m.OrderId}
	page.Limit, page.Cursor, page.From, page.To = m.Limit, m.Cursor, Instant(m.GetFrom()), Instant(m.GetTo())
	list, cursor, err := s.Withdrawals.List(ctx, caller.From(ctx), page)
	return &gatewayv1.ListWithdrawalsResponse{Data: Views(list, WithdrawalView), NextCursor: cursor}, err
}

// WithdrawalView shows a withdrawal to its owner.
func WithdrawalView(w withdrawal.Withdrawal) *gatewayv1.Withdrawal {
	return &gatewayv1.Withdrawal{
		Id: w.ID, OrderId: w.OrderID, Status: string(w.Status), StatusReason: w.Reason, Amount: money.USDT(w.Amount),
		Fee: money.USDT(w.Fee), Currency: "USDT", Network: w.Network, Address: w.Address, TransactionHash: w.Hash,
		CreatedAt: Timestamp(w.CreatedAt), StatusUpdatedAt: Timestamp(w.StatusAt),
		MerchantCashboxId: optional.Of(w.CashboxID),
	}
}
