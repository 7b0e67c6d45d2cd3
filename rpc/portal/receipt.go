package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// ReceiptService serves portal.v1.ReceiptService.
type ReceiptService struct {
	payments *payment.Service
	payouts  *payout.Service
}

var _ portalv1connect.ReceiptServiceHandler = (*ReceiptService)(nil)

// NewReceiptService makes the handler.
func NewReceiptService(payments *payment.Service, payouts *payout.Service) *ReceiptService {
	return &ReceiptService{payments, payouts}
}

// ListReceipts implements the service.
func (s *ReceiptService) ListReceipts(
	ctx context.Context, req *connect.Request[portalv1.ListReceiptsRequest],
) (*connect.Response[portalv1.ListReceiptsResponse], error) {
	list, err := s.payments.ListReceipts(ctx, caller.From(ctx), req.Msg.GetPaymentId())
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListReceiptsResponse{}
	for _, r := range list {
		out.Data = append(out.Data, receiptView(r))
	}
	return connect.NewResponse(out), nil
}

// GetReceipt implements the service.
func (s *ReceiptService) GetReceipt(
	ctx context.Context, req *connect.Request[portalv1.GetReceiptRequest],
) (*connect.Response[portalv1.GetReceiptResponse], error) {
	found, content, err := s.payments.ReadReceipt(ctx, caller.From(ctx), req.Msg.GetPaymentId(), req.Msg.GetNumber())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetReceiptResponse{Receipt: receiptView(found), Content: content}), nil
}

// GetPayinReceipt implements the service.
func (s *ReceiptService) GetPayinReceipt(
	ctx context.Context, req *connect.Request[portalv1.GetPayinReceiptRequest],
) (*connect.Response[portalv1.GetPayinReceiptResponse], error) {
	file, content, err := s.payouts.ReadProof(ctx, caller.From(ctx), req.Msg.GetPayinId())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetPayinReceiptResponse{
		FileName: file.Name, FileType: file.Type, CreatedAt: rpc.Timestamp(file.SentAt), Content: content,
	}), nil
}

// AppealWithReceipt implements the service.
func (s *ReceiptService) AppealWithReceipt(
	ctx context.Context, req *connect.Request[portalv1.AppealWithReceiptRequest],
) (*connect.Response[gatewayv1.CreateAppealResponse], error) {
	return rpc.AppealCreated(s.payments.AppealWithReceipt(
		ctx, caller.From(ctx), req.Msg.GetPaymentId(), req.Msg.GetNumber(), req.Msg.Reason,
	))
}

func receiptView(r payment.Receipt) *portalv1.Receipt {
	return &portalv1.Receipt{
		Number: r.Number, FileName: r.Name, FileType: r.Type, FileSize: r.Size, CreatedAt: rpc.Timestamp(r.CreatedAt),
	}
}
