package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/deposit"
	"gateway.example/internal/optional"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// ListDeposits implements the service.
func (s *Service) ListDeposits(
	ctx context.Context, req *connect.Request[portalv1.ListDepositsRequest],
) (*connect.Response[portalv1.ListDepositsResponse], error) {
	page := deposit.Page{Status: req.Msg.Status}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Deposits.List(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListDepositsResponse{Data: rpc.Views(list, rpc.DepositView), NextCursor: cursor}), nil
}

// ConfirmDeposit implements the service.
func (s *Service) ConfirmDeposit(
	ctx context.Context, req *connect.Request[portalv1.ConfirmDepositRequest],
) (*connect.Response[portalv1.DepositResponse], error) {
	p := proposal.Payload{DepositID: req.Msg.GetDepositId()}
	done, err := s.Proposals.Do(ctx, caller.From(ctx), proposal.ConfirmDeposit, p, req.Msg.GetReason())
	if err != nil {
		return nil, err
	}
	if done.Proposal != nil {
		return connect.NewResponse(&portalv1.DepositResponse{
			Message: "Another operator has to approve this", Proposal: proposalView(*done.Proposal),
		}), nil
	}
	return depositResponse("Deposit confirmed", *done.Deposit, nil)
}

// RejectDeposit implements the service.
func (s *Service) RejectDeposit(
	ctx context.Context, req *connect.Request[portalv1.RejectDepositRequest],
) (*connect.Response[portalv1.DepositResponse], error) {
	d, err := s.Deposits.Reject(ctx, caller.From(ctx), req.Msg.GetDepositId(), req.Msg.Reason)
	return depositResponse("Deposit rejected", d, err)
}

// ListTransfers implements the service.
func (s *Service) ListTransfers(
	ctx context.Context, req *connect.Request[portalv1.ListTransfersRequest],
) (*connect.Response[portalv1.ListTransfersResponse], error) {
	list := s.Deposits.Unmatched
	if req.Msg.GetMatched() {
		list = s.Deposits.Matched
	}
	var page deposit.Page
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	found, cursor, err := list(ctx, caller.From(ctx), page.Page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListTransfersResponse{NextCursor: cursor}
	for _, t := range found {
		out.Data = append(out.Data, &portalv1.ChainTransfer{
			Id: t.ID, Network: t.Network, TransactionHash: t.Hash, FromAddress: t.From, ToAddress: t.To, Amount: t.Amount.String(),
			State: string(t.State), Confirmations: t.Confirmations, SeenAt: rpc.Timestamp(t.SeenAt),
			DepositId: optional.Of(t.DepositID), NamedByDepositId: optional.Of(t.NamedBy),
		})
	}
	return connect.NewResponse(out), nil
}

// AssignTransfer implements the service.
func (s *Service) AssignTransfer(
	ctx context.Context, req *connect.Request[portalv1.AssignTransferRequest],
) (*connect.Response[portalv1.DepositResponse], error) {
	d, err := s.Deposits.Assign(ctx, caller.From(ctx), req.Msg.GetTransferId(), req.Msg.GetDepositId())
	return depositResponse("Transfer assigned", d, err)
}

func depositResponse(
	message string,
	d deposit.Deposit,
	err error,
) (*connect.Response[portalv1.DepositResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.DepositResponse{Message: message, Data: rpc.DepositView(d)}), nil
}

// ListReceivingAddresses implements the service.
func (s *Service) ListReceivingAddresses(
	ctx context.Context, _ *connect.Request[portalv1.ListReceivingAddressesRequest],
) (*connect.Response[portalv1.ListReceivingAddressesResponse], error) {
	list, err := s.Deposits.ReceivingAddresses(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListReceivingAddressesResponse{}
	for _, r := range list {
		out.Data = append(out.Data, &portalv1.ReceivingAddress{Network: r.Network, Address: r.Address, Version: &r.Version})
	}
	return connect.NewResponse(out), nil
}

// SetReceivingAddress implements the service.
func (s *Service) SetReceivingAddress(
	ctx context.Context, req *connect.Request[portalv1.SetReceivingAddressRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	c, err := s.Deposits.SetReceiving(ctx, caller.From(ctx), deposit.Receiving{
		Network: req.Msg.GetNetwork(), Address: req.Msg.GetAddress(), Seen: req.Msg.GetVersion(),
	})
	if err != nil {
		return nil, err
	}
	return portal.SettingResponse(c)
}

// SetInsurance implements the service.
func (s *Service) SetInsurance(
	ctx context.Context, req *connect.Request[portalv1.SetInsuranceRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	p := proposal.Payload{CashboxID: req.Msg.GetMerchantCashboxId(), Amount: req.Msg.GetAmount()}
	return proposed(s.Proposals.Do(ctx, caller.From(ctx), proposal.SetInsurance, p, req.Msg.GetReason()))
}
