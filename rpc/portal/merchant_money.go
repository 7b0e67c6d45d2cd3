package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListCashboxes implements the service.
func (s *MerchantService) ListCashboxes(
	ctx context.Context, _ *connect.Request[portalv1.ListCashboxesRequest],
) (*connect.Response[portalv1.ListCashboxesResponse], error) {
	list, err := s.Settings.OwnCashboxes(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListCashboxesResponse{}
	for _, box := range list {
		out.Data = append(out.Data, &portalv1.OwnCashbox{
			Id: box.ID, Name: box.Name, Currency: box.Currency, Collects: box.Collects, SignsWebhooks: box.Signs,
		})
	}
	return connect.NewResponse(out), nil
}

// ListBalances implements the service.
func (s *MerchantService) ListBalances(
	ctx context.Context, _ *connect.Request[portalv1.ListBalancesRequest],
) (*connect.Response[portalv1.ListBalancesResponse], error) {
	list, err := s.Deposits.Balances(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListBalancesResponse{}
	for _, box := range list {
		b := box.Balance
		out.Data = append(out.Data, &portalv1.CashboxHolding{
			MerchantCashboxId: box.ID, Name: box.Name, Currency: box.Currency, Total: money.USDT(b.Total),
			Available: money.USDT(b.Available), Reserved: money.USDT(b.Reserved), Insurance: money.USDT(b.Insurance),
		})
	}
	return connect.NewResponse(out), nil
}

// ListDeposits implements the service.
func (s *MerchantService) ListDeposits(
	ctx context.Context, req *connect.Request[portalv1.MerchantServiceListDepositsRequest],
) (*connect.Response[portalv1.ListDepositsResponse], error) {
	page := deposit.OwnPage{Page: deposit.Page{Status: req.Msg.Status}, CashboxID: req.Msg.MerchantCashboxId, Metadata: req.Msg.GetMetadata()}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Deposits.ListOwn(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListDepositsResponse{Data: rpc.Views(list, rpc.DepositView), NextCursor: cursor}), nil
}

// GetDeposit implements the service.
func (s *MerchantService) GetDeposit(
	ctx context.Context, req *connect.Request[gatewayv1.GetDepositRequest],
) (*connect.Response[portalv1.MerchantServiceGetDepositResponse], error) {
	who := caller.From(ctx)
	found, err := s.Deposits.Get(ctx, who, req.Msg.GetDepositId())
	if err != nil {
		return nil, err
	}
	moves, err := s.Deposits.History(ctx, who, found.ID)
	if err != nil {
		return nil, err
	}
	out := &portalv1.MerchantServiceGetDepositResponse{Data: rpc.DepositView(found)}
	for _, move := range moves {
		out.History = append(out.History, &portalv1.DepositMove{
			At: rpc.Timestamp(move.At), FromStatus: optional.Of(move.From), ToStatus: move.To, Actor: move.Actor,
			Reason: optional.Of(move.Reason),
		})
	}
	return connect.NewResponse(out), nil
}

// CreateDeposit implements the service.
func (s *MerchantService) CreateDeposit(
	ctx context.Context, req *connect.Request[gatewayv1.CreateDepositRequest],
) (*connect.Response[gatewayv1.CreateDepositResponse], error) {
	return rpc.NewDepositService(s.Deposits).CreateDeposit(ctx, req)
}

// NameTransaction implements the service.
func (s *MerchantService) NameTransaction(
	ctx context.Context, req *connect.Request[gatewayv1.NameTransactionRequest],
) (*connect.Response[gatewayv1.NameTransactionResponse], error) {
	return rpc.NewDepositService(s.Deposits).NameTransaction(ctx, req)
}

// ListDepositNetworks implements the service. All roles may see the list.
func (s *MerchantService) ListDepositNetworks(
	ctx context.Context, _ *connect.Request[portalv1.ListDepositNetworksRequest],
) (*connect.Response[portalv1.ListDepositNetworksResponse], error) {
	list, err := s.Deposits.ReceivingAddresses(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListDepositNetworksResponse{Networks: chain.Names()}
	for _, r := range list {
		out.Addresses = append(out.Addresses, &portalv1.ReceivingAddress{Network: r.Network, Address: r.Address})
	}
	return connect.NewResponse(out), nil
}
