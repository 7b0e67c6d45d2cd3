package rpc

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

type DepositService struct{ Deposits *deposit.Service }

func (s *DepositService) CreateDeposit(
	ctx context.Context, m *gatewayv1.CreateDepositRequest,
) (*gatewayv1.CreateDepositResponse, error) {
	created, err := s.Deposits.Create(ctx, caller.From(ctx), deposit.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), Network: m.GetNetwork(), Currency: m.Currency,
		Address: m.GetAddress(), ExternalReference: m.ExternalReference, IdempotencyKey: m.GetIdempotencyKey(),
		Metadata: m.GetMetadata(),
	})
	MarkRepeat(ctx, created.Replay, created.Mismatch, err)
	return &gatewayv1.CreateDepositResponse{Data: DepositView(created.Deposit)}, err
}

func (s *DepositService) GetDeposit(
	ctx context.Context, req *gatewayv1.GetDepositRequest,
) (*gatewayv1.GetDepositResponse, error) {
	d, err := s.Deposits.Get(ctx, caller.From(ctx), req.GetDepositId())
	return &gatewayv1.GetDepositResponse{Data: DepositView(d)}, err
}

func (s *DepositService) NameTransaction(
	ctx context.Context, req *gatewayv1.NameTransactionRequest,
) (*gatewayv1.NameTransactionResponse, error) {
	d, err := s.Deposits.Name(ctx, caller.From(ctx), req.GetDepositId(), req.GetTransactionHash())
	return &gatewayv1.NameTransactionResponse{Data: DepositView(d)}, err
}

func (s *DepositService) ListDeposits(
	ctx context.Context, m *gatewayv1.ListDepositsRequest,
) (*gatewayv1.ListDepositsResponse, error) {
	page := deposit.OwnPage{Page: deposit.Page{Status: m.Status}, IdempotencyKey: m.IdempotencyKey, Metadata: m.GetMetadata()}
	page.Limit, page.Cursor, page.From, page.To = m.Limit, m.Cursor, Instant(m.GetFrom()), Instant(m.GetTo())
	list, cursor, err := s.Deposits.ListOwn(ctx, caller.From(ctx), page)
	return &gatewayv1.ListDepositsResponse{Data: Views(list, DepositView), NextCursor: cursor}, err
}

// DepositView shows a deposit to its merchant and to operators.
func DepositView(d deposit.Deposit) *gatewayv1.Deposit {
	shown := &gatewayv1.Deposit{
		Id:                d.ID,
		MerchantCashboxId: d.CashboxID,
		Direction:         "deposit",
		Status:            d.Status,
		Amount:            money.USDT(d.Amount),
		Currency:          "USDT",
		Network:           d.Network,
		Address:           d.Address,
		ExternalReference: d.ExternalReference,
		IdempotencyKey:    d.IdempotencyKey.String(),
		CreatedAt:         Timestamp(d.CreatedAt),
		StatusUpdatedAt:   Timestamp(d.StatusAt),
		Metadata:          d.Metadata,

		NamedTransactionHash: optional.Of(d.Named),
	}
	if t := d.Transfer; t != nil {
		shown.TransactionHash, shown.Confirmations = &t.Hash, &t.Confirmations
	}
	return shown
}
