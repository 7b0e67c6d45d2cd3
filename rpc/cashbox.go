package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// CashboxService serves gateway.v1.CashboxService.
type CashboxService struct{ deposits *deposit.Service }

var _ gatewayv1connect.CashboxServiceHandler = (*CashboxService)(nil)

// NewCashboxService makes the handler.
func NewCashboxService(deposits *deposit.Service) *CashboxService {
	return &CashboxService{deposits: deposits}
}

// GetBalance implements the service.
func (s *CashboxService) GetBalance(
	ctx context.Context, req *connect.Request[gatewayv1.GetBalanceRequest],
) (*connect.Response[gatewayv1.GetBalanceResponse], error) {
	b, err := s.deposits.Balance(ctx, caller.From(ctx), req.Msg.GetMerchantCashboxId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.GetBalanceResponse{Data: &gatewayv1.CashboxBalance{
		MerchantCashboxId: b.CashboxID,
		TraderCashboxId:   b.TraderCashboxID,
		Currency:          "USDT",
		TotalBalance:      money.USDT(b.Total),
		Available:         money.USDT(b.Available),
		Reserved:          money.USDT(b.Reserved),
		InsuranceReserved: money.USDT(b.Insurance),
	}}), nil
}
