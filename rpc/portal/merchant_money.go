package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/chain"
	"gateway.example/internal/deposit"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *MerchantService) ListCashboxes(
	ctx context.Context, _ *portalv1.ListCashboxesRequest,
) (*portalv1.ListCashboxesResponse, error) {
	list, err := s.Settings.OwnCashboxes(ctx, caller.From(ctx))
	out := &portalv1.ListCashboxesResponse{}
	for _, box := range list {
		out.Data = append(out.Data, &portalv1.OwnCashbox{
			Id: box.ID, Name: box.Name, Currency: box.Currency, Collects: box.Collects, SignsWebhooks: box.Signs,
		})
	}
	return out, err
}

func (s *MerchantService) ListBalances(
	ctx context.Context, _ *portalv1.ListBalancesRequest,
) (*portalv1.ListBalancesResponse, error) {
	list, err := s.Deposits.Balances(ctx, caller.From(ctx))
	out := &portalv1.ListBalancesResponse{}
	for _, box := range list {
		b := box.Balance
		out.Data = append(out.Data, &portalv1.CashboxHolding{
			MerchantCashboxId: box.ID, Name: box.Name, Currency: box.Currency, Total: money.USDT(b.Total),
			Available: money.USDT(b.Available), Reserved: money.USDT(b.Reserved), Insurance: money.USDT(b.Insurance),
		})
	}
	return out, err
}

func (s *MerchantService) ListDeposits(
	ctx context.Context, req *portalv1.MerchantServiceListDepositsRequest,
) (*portalv1.ListDepositsResponse, error) {
	page := deposit.OwnPage{Page: deposit.Page{Status: req.Status}, CashboxID: req.MerchantCashboxId, Metadata: req.GetMetadata()}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Deposits.ListOwn(ctx, caller.From(ctx), page)
	return &portalv1.ListDepositsResponse{Data: rpc.Views(list, rpc.DepositView), NextCursor: cursor}, err
}

func (s *MerchantService) GetDeposit(
	ctx context.Context, req *gatewayv1.GetDepositRequest,
) (*portalv1.MerchantServiceGetDepositResponse, error) {
	who := caller.From(ctx)
	found, err := s.Deposits.Get(ctx, who, req.GetDepositId())
	if err != nil {
		return nil, err
	}
	moves, err := s.Deposits.History(ctx, who, found.ID)
	out := &portalv1.MerchantServiceGetDepositResponse{Data: rpc.DepositView(found)}
	for _, move := range moves {
		out.History = append(out.History, &portalv1.DepositMove{
			At: rpc.Timestamp(move.At), FromStatus: optional.Of(move.From), ToStatus: move.To, Actor: move.Actor,
			Reason: optional.Of(move.Reason),
		})
	}
	return out, err
}

func (s *MerchantService) CreateDeposit(
	ctx context.Context, req *gatewayv1.CreateDepositRequest,
) (*gatewayv1.CreateDepositResponse, error) {
	return (&rpc.DepositService{Deposits: s.Deposits}).CreateDeposit(ctx, req)
}

func (s *MerchantService) NameTransaction(
	ctx context.Context, req *gatewayv1.NameTransactionRequest,
) (*gatewayv1.NameTransactionResponse, error) {
	return (&rpc.DepositService{Deposits: s.Deposits}).NameTransaction(ctx, req)
}

// ListDepositNetworks shows the list to all roles.
func (s *MerchantService) ListDepositNetworks(
	ctx context.Context, _ *portalv1.ListDepositNetworksRequest,
) (*portalv1.ListDepositNetworksResponse, error) {
	list, err := s.Deposits.ReceivingAddresses(ctx, caller.From(ctx))
	out := &portalv1.ListDepositNetworksResponse{Networks: chain.Names()}
	for _, r := range list {
		out.Addresses = append(out.Addresses, &portalv1.ReceivingAddress{Network: r.Network, Address: r.Address})
	}
	return out, err
}
