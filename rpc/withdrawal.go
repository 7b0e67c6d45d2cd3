package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/withdrawal"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// WithdrawalService serves gateway.v1.WithdrawalService.
type WithdrawalService struct{ withdrawals *withdrawal.Service }

var _ gatewayv1connect.WithdrawalServiceHandler = (*WithdrawalService)(nil)

// NewWithdrawalService makes the handler.
func NewWithdrawalService(withdrawals *withdrawal.Service) *WithdrawalService {
	return &WithdrawalService{withdrawals}
}

// CreateWithdrawal implements the service.
func (s *WithdrawalService) CreateWithdrawal(
	ctx context.Context, req *connect.Request[gatewayv1.CreateWithdrawalRequest],
) (*connect.Response[gatewayv1.CreateWithdrawalResponse], error) {
	m := req.Msg
	created, err := s.withdrawals.Request(ctx, caller.From(ctx), withdrawal.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), Network: m.GetNetwork(), Address: m.GetAddress(),
		OrderID: m.GetOrderId(), CallbackURI: m.GetCallbackUri(),
	})
	if err != nil {
		return nil, err
	}
	res := connect.NewResponse(&gatewayv1.CreateWithdrawalResponse{Data: WithdrawalView(created.Withdrawal)})
	markRepeat(res.Header(), created.Replay, created.Mismatch)
	return res, nil
}

// GetWithdrawal implements the service.
func (s *WithdrawalService) GetWithdrawal(
	ctx context.Context, req *connect.Request[gatewayv1.GetWithdrawalRequest],
) (*connect.Response[gatewayv1.GetWithdrawalResponse], error) {
	w, err := s.withdrawals.Get(ctx, caller.From(ctx), req.Msg.GetWithdrawalId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.GetWithdrawalResponse{Data: WithdrawalView(w)}), nil
}

// ListWithdrawals implements the service.
func (s *WithdrawalService) ListWithdrawals(
	ctx context.Context, req *connect.Request[gatewayv1.ListWithdrawalsRequest],
) (*connect.Response[gatewayv1.ListWithdrawalsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	page := withdrawal.Page{Status: m.Status, OrderID: m.OrderId}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	page.From, page.To = Instant(found, "from", m.GetFrom()), Instant(found, "to", m.GetTo())
	list, cursor, err := s.withdrawals.List(fault.WithDecoded(ctx, found), caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &gatewayv1.ListWithdrawalsResponse{NextCursor: cursor}
	for _, w := range list {
		out.Data = append(out.Data, WithdrawalView(w))
	}
	return connect.NewResponse(out), nil
}

// WithdrawalView shows a withdrawal to its owner.
func WithdrawalView(w withdrawal.Withdrawal) *gatewayv1.Withdrawal {
	view := &gatewayv1.Withdrawal{
		Id: w.ID, OrderId: w.OrderID, Status: string(w.Status), StatusReason: w.Reason, Amount: money.USDT(w.Amount),
		Fee: money.USDT(w.Fee), Currency: "USDT", Network: w.Network, Address: w.Address, TransactionHash: w.Hash,
		CreatedAt: Timestamp(w.CreatedAt), StatusUpdatedAt: Timestamp(w.StatusAt),
	}
	if w.CashboxID != 0 {
		view.MerchantCashboxId = &w.CashboxID
	}
	return view
}
