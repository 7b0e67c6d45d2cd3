package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

func (s *service) ListDeposits(
	ctx context.Context, req *portalv1.ListDepositsRequest,
) (*portalv1.ListDepositsResponse, error) {
	page := deposit.Page{Status: req.Status}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Deposits.List(ctx, caller.From(ctx), page)
	return &portalv1.ListDepositsResponse{Data: rpc.Views(list, rpc.DepositView), NextCursor: cursor}, err
}

func (s *service) ConfirmDeposit(
	ctx context.Context, req *portalv1.ConfirmDepositRequest,
) (*portalv1.DepositResponse, error) {
	p := proposal.Payload{DepositID: req.GetDepositId()}
	done, err := s.Proposals.Do(ctx, caller.From(ctx), proposal.ConfirmDeposit, p, req.GetReason())
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return &portalv1.DepositResponse{
			Message: "Another operator has to approve this", Proposal: proposalView(*done.Proposal),
		}, nil
	}
	return depositResponse("Deposit confirmed", *done.Deposit, nil)
}

func (s *service) RejectDeposit(
	ctx context.Context, req *portalv1.RejectDepositRequest,
) (*portalv1.DepositResponse, error) {
	d, err := s.Deposits.Reject(ctx, caller.From(ctx), req.GetDepositId(), req.Reason)
	return depositResponse("Deposit rejected", d, err)
}

func (s *service) ListTransfers(
	ctx context.Context, req *portalv1.ListTransfersRequest,
) (*portalv1.ListTransfersResponse, error) {
	list := s.Deposits.Unmatched
	if req.GetMatched() {
		list = s.Deposits.Matched
	}
	var page deposit.Page
	page.Limit, page.Cursor = req.Limit, req.Cursor
	found, cursor, err := list(ctx, caller.From(ctx), page.Page)
	out := &portalv1.ListTransfersResponse{NextCursor: cursor}
	for _, t := range found {
		out.Data = append(out.Data, &portalv1.ChainTransfer{
			Id: t.ID, Network: t.Network, TransactionHash: t.Hash, FromAddress: t.From, ToAddress: t.To, Amount: t.Amount.String(),
			State: string(t.State), Confirmations: t.Confirmations, SeenAt: rpc.Timestamp(t.SeenAt),
			DepositId: optional.Of(t.DepositID), NamedByDepositId: optional.Of(t.NamedBy),
		})
	}
	return out, err
}

func (s *service) AssignTransfer(
	ctx context.Context, req *portalv1.AssignTransferRequest,
) (*portalv1.DepositResponse, error) {
	d, err := s.Deposits.Assign(ctx, caller.From(ctx), req.GetTransferId(), req.GetDepositId())
	return depositResponse("Transfer assigned", d, err)
}

func depositResponse(message string, d deposit.Deposit, err error) (*portalv1.DepositResponse, error) {
	return &portalv1.DepositResponse{Message: message, Data: rpc.DepositView(d)}, err
}

func (s *service) ListReceivingAddresses(
	ctx context.Context, _ *portalv1.ListReceivingAddressesRequest,
) (*portalv1.ListReceivingAddressesResponse, error) {
	list, err := s.Deposits.ReceivingAddresses(ctx, caller.From(ctx))
	out := &portalv1.ListReceivingAddressesResponse{}
	for _, r := range list {
		out.Data = append(out.Data, &portalv1.ReceivingAddress{Network: r.Network, Address: r.Address, Version: &r.Version})
	}
	return out, err
}

func (s *service) SetReceivingAddress(
	ctx context.Context, req *portalv1.SetReceivingAddressRequest,
) (*portalv1.SettingResponse, error) {
	return portal.SettingResponse(s.Deposits.SetReceiving(ctx, caller.From(ctx), deposit.Receiving{
		Network: req.GetNetwork(), Address: req.GetAddress(), Seen: req.GetVersion(),
	}))
}

func (s *service) SetInsurance(
	ctx context.Context, req *portalv1.SetInsuranceRequest,
) (*portalv1.SettingResponse, error) {
	p := proposal.Payload{CashboxID: req.GetMerchantCashboxId(), Amount: req.GetAmount()}
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.SetInsurance, p, req.GetReason()))
}
