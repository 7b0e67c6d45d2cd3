package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/withdrawal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type WithdrawalService struct{ Withdrawals *withdrawal.Service }

func (s *WithdrawalService) AddAddress(
	ctx context.Context, m *portalv1.AddAddressRequest,
) (*portalv1.AddressResponse, error) {
	added, err := s.Withdrawals.AddAddress(ctx, caller.From(ctx), withdrawal.NewAddress{
		Network: m.GetNetwork(), Address: m.GetAddress(), Label: m.GetLabel(), Confirmed: m.GetConfirmed(),
	})
	return &portalv1.AddressResponse{Data: withdrawalAddress(added)}, err
}

func (s *WithdrawalService) ListAddresses(
	ctx context.Context, _ *portalv1.ListAddressesRequest,
) (*portalv1.ListAddressesResponse, error) {
	list, err := s.Withdrawals.Addresses(ctx, caller.From(ctx))
	return &portalv1.ListAddressesResponse{Data: rpc.Views(list, withdrawalAddress)}, err
}

func (s *WithdrawalService) RemoveAddress(
	ctx context.Context, req *portalv1.RemoveAddressRequest,
) (*portalv1.RemoveAddressResponse, error) {
	return &portalv1.RemoveAddressResponse{}, s.Withdrawals.RemoveAddress(ctx, caller.From(ctx), req.GetAddressId())
}

func (s *WithdrawalService) RequestWithdrawal(
	ctx context.Context, m *portalv1.RequestWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	created, err := s.Withdrawals.Request(ctx, caller.From(ctx), withdrawal.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), AddressID: m.GetAddressId(), OrderID: m.GetOrderId(),
		CallbackURI: m.GetCallbackUri(),
	})
	return changedWithdrawal(ctx, created.Withdrawal, err)
}

func (s *WithdrawalService) ListWithdrawals(
	ctx context.Context, req *portalv1.WithdrawalServiceListWithdrawalsRequest,
) (*portalv1.WithdrawalServiceListWithdrawalsResponse, error) {
	page := withdrawal.Page{Status: req.Status, CashboxID: req.MerchantCashboxId}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.Withdrawals.List(ctx, caller.From(ctx), page)
	return &portalv1.WithdrawalServiceListWithdrawalsResponse{
		Data: rpc.Views(list, withdrawalView(ctx)), NextCursor: next,
	}, err
}

func (s *WithdrawalService) GetWithdrawal(
	ctx context.Context, req *portalv1.WithdrawalServiceGetWithdrawalRequest,
) (*portalv1.WithdrawalServiceGetWithdrawalResponse, error) {
	who := caller.From(ctx)
	found, err := s.Withdrawals.Get(ctx, who, req.GetWithdrawalId())
	if err != nil {
		return nil, err
	}
	moves, err := s.Withdrawals.History(ctx, who, found.ID)
	out := &portalv1.WithdrawalServiceGetWithdrawalResponse{Data: withdrawalView(ctx)(found)}
	for _, move := range moves {
		out.History = append(out.History, &portalv1.WithdrawalMove{
			At: rpc.Timestamp(move.At), FromStatus: optional.Of(move.From), ToStatus: move.To, Actor: move.Actor,
			Reason: optional.Of(move.Reason),
		})
	}
	return out, err
}

func (s *WithdrawalService) CancelWithdrawal(
	ctx context.Context, req *portalv1.CancelWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.Cancel(ctx, caller.From(ctx), req.GetWithdrawalId())
	return changedWithdrawal(ctx, w, err)
}

func (s *WithdrawalService) ListWithdrawalTerms(
	ctx context.Context, _ *portalv1.ListWithdrawalTermsRequest,
) (*portalv1.ListWithdrawalTermsResponse, error) {
	list, err := s.Withdrawals.Terms(ctx, caller.From(ctx))
	out := &portalv1.ListWithdrawalTermsResponse{}
	for _, t := range list {
		out.Data = append(out.Data, &portalv1.WithdrawalTerms{
			Network: t.Network, Enabled: t.Enabled, Fee: money.Fiat(t.Fee), MinAmount: money.Fiat(t.MinAmount),
			DailyAmount: money.Fiat(t.DailyAmount), Version: t.Version,
		})
	}
	return out, err
}

func (s *WithdrawalService) SetWithdrawalTerms(
	ctx context.Context, m *portalv1.SetWithdrawalTermsRequest,
) (*portalv1.SettingResponse, error) {
	return SettingResponse(s.Withdrawals.SetTerms(ctx, caller.From(ctx), withdrawal.NewTerms{
		Network: m.GetNetwork(), Enabled: m.GetEnabled(), Fee: m.GetFee(), MinAmount: m.GetMinAmount(),
		DailyAmount: m.GetDailyAmount(), Seen: m.GetVersion(),
	}))
}

func (s *WithdrawalService) ApproveWithdrawal(
	ctx context.Context, req *portalv1.ApproveWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.Approve(ctx, caller.From(ctx), req.GetWithdrawalId())
	return changedWithdrawal(ctx, w, err)
}

func (s *WithdrawalService) RejectWithdrawal(
	ctx context.Context, req *portalv1.RejectWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.Reject(ctx, caller.From(ctx), req.GetWithdrawalId(), req.GetReason())
	return changedWithdrawal(ctx, w, err)
}

func (s *WithdrawalService) ExportHandOver(
	ctx context.Context, req *portalv1.ExportHandOverRequest,
) (*portalv1.HandOverResponse, error) {
	list, err := s.Withdrawals.Export(ctx, caller.From(ctx), req.GetPast())
	return &portalv1.HandOverResponse{Data: handOver(list)}, err
}

func (s *WithdrawalService) ListHandOvers(
	ctx context.Context, req *portalv1.ListHandOversRequest,
) (*portalv1.ListHandOversResponse, error) {
	var page withdrawal.HandOverPage
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.Withdrawals.HandOvers(ctx, caller.From(ctx), page)
	return &portalv1.ListHandOversResponse{Data: rpc.Views(list, handOver), NextCursor: next}, err
}

func (s *WithdrawalService) GetHandOver(
	ctx context.Context, req *portalv1.GetHandOverRequest,
) (*portalv1.HandOverResponse, error) {
	list, err := s.Withdrawals.HandOver(ctx, caller.From(ctx), req.GetHandOverId())
	return &portalv1.HandOverResponse{Data: handOver(list)}, err
}

func (s *WithdrawalService) ReportHash(
	ctx context.Context, req *portalv1.ReportHashRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.ReportHash(ctx, caller.From(ctx), req.GetWithdrawalId(), req.GetTransactionHash())
	return changedWithdrawal(ctx, w, err)
}

func (s *WithdrawalService) CompleteWithdrawal(
	ctx context.Context, req *portalv1.CompleteWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.Complete(ctx, caller.From(ctx), withdrawal.Decision{
		ID: req.GetWithdrawalId(), Reason: req.GetReason(),
	})
	return changedWithdrawal(ctx, w, err)
}

func (s *WithdrawalService) FailWithdrawal(
	ctx context.Context, req *portalv1.FailWithdrawalRequest,
) (*portalv1.WithdrawalResponse, error) {
	w, err := s.Withdrawals.Fail(ctx, caller.From(ctx), withdrawal.Decision{
		ID: req.GetWithdrawalId(), Reason: req.GetReason(),
	})
	return changedWithdrawal(ctx, w, err)
}

func changedWithdrawal(ctx context.Context, w withdrawal.Withdrawal, err error) (*portalv1.WithdrawalResponse, error) {
	return &portalv1.WithdrawalResponse{Data: withdrawalView(ctx)(w)}, err
}

// withdrawalView shows withdrawals to the caller. What operators work with is
// theirs alone.
func withdrawalView(ctx context.Context) func(withdrawal.Withdrawal) *portalv1.PortalWithdrawal {
	operator := caller.From(ctx).Kind == caller.Operator
	return func(w withdrawal.Withdrawal) *portalv1.PortalWithdrawal {
		view := &portalv1.PortalWithdrawal{Data: rpc.WithdrawalView(w), MerchantId: w.MerchantID, TraderId: w.TraderID}
		if operator {
			view.HandOverId, view.Mismatch = w.HandOverID, w.Mismatch
		}
		return view
	}
}

func withdrawalAddress(a withdrawal.Address) *portalv1.WithdrawalAddress {
	return &portalv1.WithdrawalAddress{
		Id: a.ID, Network: a.Network, Address: a.Address, Label: a.Label, AddedBy: a.AddedBy,
		AddedAt: rpc.Timestamp(a.AddedAt), UsableAt: rpc.Timestamp(a.UsableAt), Rests: a.Rests,
	}
}

func handOver(h withdrawal.HandOver) *portalv1.HandOver {
	return &portalv1.HandOver{
		Id: h.ID, CreatedAt: rpc.Timestamp(h.CreatedAt), CreatedBy: h.CreatedBy, Count: int32(h.Count),
		Amount: money.USDT(h.Amount), Document: h.Document,
	}
}
