package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type CashboxService struct{ Deposits *deposit.Service }

func (s *CashboxService) GetBalance(
	ctx context.Context, req *gatewayv1.GetBalanceRequest,
) (*gatewayv1.GetBalanceResponse, error) {
	b, err := s.Deposits.Balance(ctx, caller.From(ctx), req.GetMerchantCashboxId())
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
