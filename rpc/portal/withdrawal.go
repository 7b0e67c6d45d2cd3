package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/withdrawal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// WithdrawalService serves portal.v1.WithdrawalService.
type WithdrawalService struct{ withdrawals *withdrawal.Service }

var _ portalv1connect.WithdrawalServiceHandler = (*WithdrawalService)(nil)

// NewWithdrawalService makes the handler.
func NewWithdrawalService(withdrawals *withdrawal.Service) *WithdrawalService {
	return &WithdrawalService{withdrawals}
}

// AddAddress implements the service.
func (s *WithdrawalService) AddAddress(
	ctx context.Context, req *connect.Request[portalv1.AddAddressRequest],
) (*connect.Response[portalv1.AddressResponse], error) {
	m := req.Msg
	added, err := s.withdrawals.AddAddress(ctx, caller.From(ctx), withdrawal.NewAddress{
		Network: m.GetNetwork(), Address: m.GetAddress(), Label: m.GetLabel(), Confirmed: m.GetConfirmed(),
	})
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.AddressResponse{Data: withdrawalAddress(added)}), nil
}

// ListAddresses implements the service.
func (s *WithdrawalService) ListAddresses(
	ctx context.Context, _ *connect.Request[portalv1.ListAddressesRequest],
) (*connect.Response[portalv1.ListAddressesResponse], error) {
	list, err := s.withdrawals.Addresses(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListAddressesResponse{Data: rpc.Views(list, withdrawalAddress)}), nil
}

// RemoveAddress implements the service.
func (s *WithdrawalService) RemoveAddress(
	ctx context.Context, req *connect.Request[portalv1.RemoveAddressRequest],
) (*connect.Response[portalv1.RemoveAddressResponse], error) {
	if err := s.withdrawals.RemoveAddress(ctx, caller.From(ctx), req.Msg.GetAddressId()); err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.RemoveAddressResponse{}), nil
}

// RequestWithdrawal implements the service.
func (s *WithdrawalService) RequestWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.RequestWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	m := req.Msg
	created, err := s.withdrawals.Request(ctx, caller.From(ctx), withdrawal.Request{
		CashboxID: m.MerchantCashboxId, Amount: m.GetAmount(), AddressID: m.GetAddressId(), OrderID: m.GetOrderId(),
		CallbackURI: m.GetCallbackUri(),
	})
	return changedWithdrawal(ctx, created.Withdrawal, err)
}

// ListWithdrawals implements the service.
func (s *WithdrawalService) ListWithdrawals(
	ctx context.Context, req *connect.Request[portalv1.WithdrawalServiceListWithdrawalsRequest],
) (*connect.Response[portalv1.WithdrawalServiceListWithdrawalsResponse], error) {
	page := withdrawal.Page{Status: req.Msg.Status, CashboxID: req.Msg.MerchantCashboxId}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	who := caller.From(ctx)
	list, next, err := s.withdrawals.List(ctx, who, page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.WithdrawalServiceListWithdrawalsResponse{NextCursor: next}
	for _, w := range list {
		out.Data = append(out.Data, withdrawalView(who, w))
	}
	return connect.NewResponse(out), nil
}

// GetWithdrawal implements the service.
func (s *WithdrawalService) GetWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.WithdrawalServiceGetWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalServiceGetWithdrawalResponse], error) {
	who := caller.From(ctx)
	found, err := s.withdrawals.Get(ctx, who, req.Msg.GetWithdrawalId())
	if err != nil {
		return nil, err
	}
	moves, err := s.withdrawals.History(ctx, who, found.ID)
	if err != nil {
		return nil, err
	}
	out := &portalv1.WithdrawalServiceGetWithdrawalResponse{Data: withdrawalView(who, found)}
	for _, move := range moves {
		out.History = append(out.History, &portalv1.WithdrawalMove{
			At: rpc.Timestamp(move.At), FromStatus: optional.Of(move.From), ToStatus: move.To, Actor: move.Actor,
			Reason: optional.Of(move.Reason),
		})
	}
	return connect.NewResponse(out), nil
}

// CancelWithdrawal implements the service.
func (s *WithdrawalService) CancelWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.CancelWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.Cancel(ctx, caller.From(ctx), req.Msg.GetWithdrawalId())
	return changedWithdrawal(ctx, w, err)
}

// ListWithdrawalTerms implements the service.
func (s *WithdrawalService) ListWithdrawalTerms(
	ctx context.Context, _ *connect.Request[portalv1.ListWithdrawalTermsRequest],
) (*connect.Response[portalv1.ListWithdrawalTermsResponse], error) {
	list, err := s.withdrawals.Terms(ctx, caller.From(ctx))
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListWithdrawalTermsResponse{}
	for _, t := range list {
		out.Data = append(out.Data, &portalv1.WithdrawalTerms{
			Network: t.Network, Enabled: t.Enabled, Fee: money.Fiat(t.Fee), MinAmount: money.Fiat(t.MinAmount),
			DailyAmount: money.Fiat(t.DailyAmount), Version: t.Version,
		})
	}
	return connect.NewResponse(out), nil
}

// SetWithdrawalTerms implements the service.
func (s *WithdrawalService) SetWithdrawalTerms(
	ctx context.Context, req *connect.Request[portalv1.SetWithdrawalTermsRequest],
) (*connect.Response[portalv1.SettingResponse], error) {
	m := req.Msg
	c, err := s.withdrawals.SetTerms(ctx, caller.From(ctx), withdrawal.NewTerms{
		Network: m.GetNetwork(), Enabled: m.GetEnabled(), Fee: m.GetFee(), MinAmount: m.GetMinAmount(),
		DailyAmount: m.GetDailyAmount(), Seen: m.GetVersion(),
	})
	if err != nil {
		return nil, err
	}
	return SettingResponse(c)
}

// ApproveWithdrawal implements the service.
func (s *WithdrawalService) ApproveWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.ApproveWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.Approve(ctx, caller.From(ctx), req.Msg.GetWithdrawalId())
	return changedWithdrawal(ctx, w, err)
}

// RejectWithdrawal implements the service.
func (s *WithdrawalService) RejectWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.RejectWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.Reject(ctx, caller.From(ctx), req.Msg.GetWithdrawalId(), req.Msg.GetReason())
	return changedWithdrawal(ctx, w, err)
}

// ExportHandOver implements the service.
func (s *WithdrawalService) ExportHandOver(
	ctx context.Context, req *connect.Request[portalv1.ExportHandOverRequest],
) (*connect.Response[portalv1.HandOverResponse], error) {
	list, err := s.withdrawals.Export(ctx, caller.From(ctx), req.Msg.GetPast())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.HandOverResponse{Data: handOver(list)}), nil
}

// ListHandOvers implements the service.
func (s *WithdrawalService) ListHandOvers(
	ctx context.Context, req *connect.Request[portalv1.ListHandOversRequest],
) (*connect.Response[portalv1.ListHandOversResponse], error) {
	var page withdrawal.HandOverPage
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.withdrawals.HandOvers(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListHandOversResponse{Data: rpc.Views(list, handOver), NextCursor: next}), nil
}

// GetHandOver implements the service.
func (s *WithdrawalService) GetHandOver(
	ctx context.Context, req *connect.Request[portalv1.GetHandOverRequest],
) (*connect.Response[portalv1.HandOverResponse], error) {
	list, err := s.withdrawals.HandOver(ctx, caller.From(ctx), req.Msg.GetHandOverId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.HandOverResponse{Data: handOver(list)}), nil
}

// ReportHash implements the service.
func (s *WithdrawalService) ReportHash(
	ctx context.Context, req *connect.Request[portalv1.ReportHashRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.ReportHash(ctx, caller.From(ctx), req.Msg.GetWithdrawalId(), req.Msg.GetTransactionHash())
	return changedWithdrawal(ctx, w, err)
}

// CompleteWithdrawal implements the service.
func (s *WithdrawalService) CompleteWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.CompleteWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.Complete(ctx, caller.From(ctx), withdrawal.Decision{
		ID: req.Msg.GetWithdrawalId(), Reason: req.Msg.GetReason(),
	})
	return changedWithdrawal(ctx, w, err)
}

// FailWithdrawal implements the service.
func (s *WithdrawalService) FailWithdrawal(
	ctx context.Context, req *connect.Request[portalv1.FailWithdrawalRequest],
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	w, err := s.withdrawals.Fail(ctx, caller.From(ctx), withdrawal.Decision{
		ID: req.Msg.GetWithdrawalId(), Reason: req.Msg.GetReason(),
	})
	return changedWithdrawal(ctx, w, err)
}

func changedWithdrawal(
	ctx context.Context, w withdrawal.Withdrawal, err error,
) (*connect.Response[portalv1.WithdrawalResponse], error) {
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.WithdrawalResponse{Data: withdrawalView(caller.From(ctx), w)}), nil
}

// withdrawalView shows a withdrawal. What operators work with is theirs alone.
func withdrawalView(who caller.Caller, w withdrawal.Withdrawal) *portalv1.PortalWithdrawal {
	view := &portalv1.PortalWithdrawal{Data: rpc.WithdrawalView(w), MerchantId: w.MerchantID, TraderId: w.TraderID}
	if who.Kind == caller.Operator {
		view.HandOverId, view.Mismatch = w.HandOverID, w.Mismatch
	}
	return view
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
