package portal

import (
	"context"

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

// traderService serves portal.v1.TraderService.
type traderService struct {
	payments  *payment.Service
	checkouts *checkout.Service
	payouts   *payout.Service
	settings  *directory.Settings
	proposals *proposal.Service
	messages  *bankmessage.Service
	view      rpc.PaymentView
	Threads
}

// NewTraderService makes the handler. payURL is the address of the hosted pages, without a trailing
// slash.
func NewTraderService(
	payments *payment.Service, checkouts *checkout.Service, payouts *payout.Service, settings *directory.Settings,
	proposals *proposal.Service, messages *bankmessage.Service, links *auth.Links, payURL string,
) portalv1connect.TraderServiceHandler {
	return &traderService{
		payments: payments, checkouts: checkouts, payouts: payouts, settings: settings, proposals: proposals,
		messages: messages,
		view:     rpc.NewPaymentView(checkouts, links, payURL),
		Threads:  Threads{payments},
	}
}

func (s *traderService) ListPayments(
	ctx context.Context, req *portalv1.ListPaymentsRequest,
) (*portalv1.ListPaymentsResponse, error) {
	who := caller.From(ctx)
	page := payment.Page{Status: req.Status}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.payments.ListAssigned(ctx, who, page)
	if err != nil {
		return nil, err
	}
	data, err := s.view.Show(ctx, who, list...)
	return &portalv1.ListPaymentsResponse{Data: data, NextCursor: cursor}, err
}

func (s *traderService) ConfirmReceived(
	ctx context.Context, req *portalv1.ConfirmReceivedRequest,
) (*portalv1.ConfirmReceivedResponse, error) {
	p, err := s.payments.ConfirmCame(ctx, caller.From(ctx), req.GetPaymentId(), payment.Came{
		Amount: req.ReceivedAmount, Payer: req.Payer, Note: req.Note, At: rpc.Instant(req.CameAt),
	})
	shown, err := s.view.ShowOne(ctx, p, err)
	return &portalv1.ConfirmReceivedResponse{Message: "Payment confirmed", Data: shown}, err
}

func (s *traderService) CancelPayment(
	ctx context.Context, req *portalv1.CancelPaymentRequest,
) (*portalv1.CancelPaymentResponse, error) {
	p, err := s.payments.Cancel(ctx, caller.From(ctx), req.GetPaymentId(), req.Reason)
	shown, err := s.view.ShowOne(ctx, p, err)
	return &portalv1.CancelPaymentResponse{Message: "Payment cancelled", Data: shown}, err
}
