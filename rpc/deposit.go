package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	"gateway.example/rpc/gen/gateway/v1/gatewayv1connect"
)

// DepositService serves gateway.v1.DepositService.
type DepositService struct{ deposits *deposit.Service }

var _ gatewayv1connect.DepositServiceHandler = (*DepositService)(nil)

// NewDepositService makes the handler.
func NewDepositService(deposits *deposit.Service) *DepositService {
	return &DepositService{deposits: deposits}
}

// CreateDeposit implements the service.
func (s *DepositService) CreateDeposit(
	ctx context.Context, req *connect.Request[gatewayv1.CreateDepositRequest],
) (*connect.Response[gatewayv1.CreateDepositResponse], error) {
	m := req.Msg
	created, err := s.deposits.Create(ctx, caller.From(ctx), deposit.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), Network: m.GetNetwork(), Currency: m.Currency,
		Address: m.GetAddress(), ExternalReference: m.ExternalReference, IdempotencyKey: m.GetIdempotencyKey(),
		Metadata: m.GetMetadata(),
	})
	if err != nil {
		return nil, err
	}
	res := connect.NewResponse(&gatewayv1.CreateDepositResponse{Data: DepositView(created.Deposit)})
	markRepeat(res.Header(), created.Replay, created.Mismatch)
	return res, nil
}

// GetDeposit implements the service.
func (s *DepositService) GetDeposit(
	ctx context.Context, req *connect.Request[gatewayv1.GetDepositRequest],
) (*connect.Response[gatewayv1.GetDepositResponse], error) {
	d, err := s.deposits.Get(ctx, caller.From(ctx), req.Msg.GetDepositId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.GetDepositResponse{Data: DepositView(d)}), nil
}

// NameTransaction implements the service.
func (s *DepositService) NameTransaction(
	ctx context.Context, req *connect.Request[gatewayv1.NameTransactionRequest],
) (*connect.Response[gatewayv1.NameTransactionResponse], error) {
	d, err := s.deposits.Name(ctx, caller.From(ctx), req.Msg.GetDepositId(), req.Msg.GetTransactionHash())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&gatewayv1.NameTransactionResponse{Data: DepositView(d)}), nil
}

// ListDeposits implements the service.
func (s *DepositService) ListDeposits(
	ctx context.Context, req *connect.Request[gatewayv1.ListDepositsRequest],
) (*connect.Response[gatewayv1.ListDepositsResponse], error) {
	m, found := req.Msg, fault.Decoded(ctx)
	page := deposit.OwnPage{Page: deposit.Page{Status: m.Status}, IdempotencyKey: m.IdempotencyKey, Metadata: m.GetMetadata()}
	page.Limit, page.Cursor = m.Limit, m.Cursor
	page.From, page.To = Instant(found, "from", m.GetFrom()), Instant(found, "to", m.GetTo())
	list, cursor, err := s.deposits.ListOwn(fault.WithDecoded(ctx, found), caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &gatewayv1.ListDepositsResponse{NextCursor: cursor}
	for _, d := range list {
		out.Data = append(out.Data, DepositView(d))
	}
	return connect.NewResponse(out), nil
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
	}
	if t := d.Transfer; t != nil {
		shown.TransactionHash, shown.Confirmations = &t.Hash, &t.Confirmations
	}
	if d.Named != "" {
		shown.NamedTransactionHash = &d.Named
	}
	return shown
}
