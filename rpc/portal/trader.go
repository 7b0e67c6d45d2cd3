package portal

import (
	"context"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/directory"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/proposal"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type TraderService struct {
	Payments  *payment.Service
	Payouts   *payout.Service
	Settings  *directory.Settings
	Proposals *proposal.Service
	Messages  *bankmessage.Service
	rpc.PaymentView
	Threads
}

func (s *TraderService) ListPayments(
	ctx context.Context, req *portalv1.ListPaymentsRequest,
) (*portalv1.ListPaymentsResponse, error) {
	who := caller.From(ctx)
	page := payment.Page{Status: req.Status}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Payments.ListAssigned(ctx, who, page)
	if err != nil {
		return nil, err
	}
	data, err := s.Show(ctx, who, list...)
	return &portalv1.ListPaymentsResponse{Data: data, NextCursor: cursor}, err
}

func (s *TraderService) ConfirmReceived(
	ctx context.Context, req *portalv1.ConfirmReceivedRequest,
) (*portalv1.ConfirmReceivedResponse, error) {
	p, err := s.Payments.ConfirmCame(ctx, caller.From(ctx), req.GetPaymentId(), payment.Came{
		Amount: req.ReceivedAmount, Payer: req.Payer, Note: req.Note, At: rpc.Instant(req.CameAt),
	})
	shown, err := s.ShowOne(ctx, p, err)
	return &portalv1.ConfirmReceivedResponse{Message: "Payment confirmed", Data: shown}, err
}

func (s *TraderService) CancelPayment(
	ctx context.Context, req *portalv1.CancelPaymentRequest,
) (*portalv1.CancelPaymentResponse, error) {
	p, err := s.Payments.Cancel(ctx, caller.From(ctx), req.GetPaymentId(), req.Reason)
	shown, err := s.ShowOne(ctx, p, err)
	return &portalv1.CancelPaymentResponse{Message: "Payment cancelled", Data: shown}, err
}
