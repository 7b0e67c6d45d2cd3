package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// TraderService serves portal.v1.TraderService.
type TraderService struct {
	payments  *payment.Service
	checkouts *checkout.Service
	payouts   *payout.Service
	settings  *directory.Settings
	proposals *proposal.Service
	messages  *bankmessage.Service
	view      rpc.PaymentView
	Threads
}

var _ portalv1connect.TraderServiceHandler = (*TraderService)(nil)

// NewTraderService makes the handler. payURL is the address of the hosted pages, without a trailing
// slash.
func NewTraderService(
	payments *payment.Service, checkouts *checkout.Service, payouts *payout.Service, settings *directory.Settings,
	proposals *proposal.Service, messages *bankmessage.Service, links *auth.Links, payURL string,
) *TraderService {
	return &TraderService{
		payments: payments, checkouts: checkouts, payouts: payouts, settings: settings, proposals: proposals,
		messages: messages,
		view:     rpc.NewPaymentView(checkouts, links, payURL),
		Threads:  Threads{payments},
	}
}

// ListPayments implements the service.
func (s *TraderService) ListPayments(
	ctx context.Context, req *connect.Request[portalv1.ListPaymentsRequest],
) (*connect.Response[portalv1.ListPaymentsResponse], error) {
	who := caller.From(ctx)
	page := payment.Page{Status: req.Msg.Status}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.payments.ListAssigned(ctx, who, page)
	if err != nil {
		return nil, err
	}
	data, err := s.view.Show(ctx, who, list...)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ListPaymentsResponse{Data: data, NextCursor: cursor}), nil
}

// ConfirmReceived implements the service.
func (s *TraderService) ConfirmReceived(
	ctx context.Context, req *connect.Request[portalv1.ConfirmReceivedRequest],
) (*connect.Response[portalv1.ConfirmReceivedResponse], error) {
	who := caller.From(ctx)
	said := payment.Came{Amount: req.Msg.ReceivedAmount, Payer: req.Msg.Payer, Note: req.Msg.Note}
	if req.Msg.CameAt != nil {
		said.At = new(req.Msg.CameAt.AsTime())
	}
	p, err := s.payments.ConfirmCame(ctx, who, req.Msg.GetPaymentId(), said)
	if err != nil {
		return nil, err
	}
	shown, err := s.view.Show(ctx, who, p)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.ConfirmReceivedResponse{Message: "Payment confirmed", Data: shown[0]}), nil
}

// CancelPayment implements the service.
func (s *TraderService) CancelPayment(
	ctx context.Context, req *connect.Request[portalv1.CancelPaymentRequest],
) (*connect.Response[portalv1.CancelPaymentResponse], error) {
	who := caller.From(ctx)
	p, err := s.payments.Cancel(ctx, who, req.Msg.GetPaymentId(), req.Msg.Reason)
	if err != nil {
		return nil, err
	}
	shown, err := s.view.Show(ctx, who, p)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.CancelPaymentResponse{Message: "Payment cancelled", Data: shown[0]}), nil
}
