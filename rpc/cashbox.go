package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// cashboxService serves gateway.v1.CashboxService.
type cashboxService struct{ deposits *deposit.Service }

// NewCashboxService makes the handler.
func NewCashboxService(deposits *deposit.Service) gatewayv1connect.CashboxServiceHandler {
	return &cashboxService{deposits: deposits}
}

func (s *cashboxService) GetBalance(
	ctx context.Context, req *gatewayv1.GetBalanceRequest,
) (*gatewayv1.GetBalanceResponse, error) {
	b, err := s.deposits.Balance(ctx, caller.From(ctx), req.GetMerchantCashboxId())
	return &gatewayv1.GetBalanceResponse{Data: &gatewayv1.CashboxBalance{
		MerchantCashboxId: b.CashboxID,
		TraderCashboxId:   b.TraderCashboxID,
		Currency:          "USDT",
		TotalBalance:      money.USDT(b.Total),
		Available:         money.USDT(b.Available),
		Reserved:          money.USDT(b.Reserved),
		InsuranceReserved: money.USDT(b.Insurance),
	}}, err
}
