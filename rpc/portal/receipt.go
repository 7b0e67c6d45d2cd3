package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type ReceiptService struct {
	Payments *payment.Service
	Payouts  *payout.Service
}

func (s *ReceiptService) ListReceipts(
	ctx context.Context, req *portalv1.ListReceiptsRequest,
) (*portalv1.ListReceiptsResponse, error) {
	list, err := s.Payments.ListReceipts(ctx, caller.From(ctx), req.GetPaymentId())
	return &portalv1.ListReceiptsResponse{Data: rpc.Views(list, receiptView)}, err
}

func (s *ReceiptService) GetReceipt(
	ctx context.Context, req *portalv1.GetReceiptRequest,
) (*portalv1.GetReceiptResponse, error) {
	found, content, err := s.Payments.ReadReceipt(ctx, caller.From(ctx), req.GetPaymentId(), req.GetNumber())
	return &portalv1.GetReceiptResponse{Receipt: receiptView(found), Content: content}, err
}

func (s *ReceiptService) GetPayinReceipt(
	ctx context.Context, req *portalv1.GetPayinReceiptRequest,
) (*portalv1.GetPayinReceiptResponse, error) {
	file, content, err := s.Payouts.ReadProof(ctx, caller.From(ctx), req.GetPayinId())
	return &portalv1.GetPayinReceiptResponse{
		FileName: file.Name, FileType: file.Type, CreatedAt: rpc.Timestamp(file.SentAt), Content: content,
	}, err
}

func (s *ReceiptService) AppealWithReceipt(
	ctx context.Context, req *portalv1.AppealWithReceiptRequest,
) (*gatewayv1.CreateAppealResponse, error) {
	return rpc.AppealCreated(s.Payments.AppealWithReceipt(
		ctx, caller.From(ctx), req.GetPaymentId(), req.GetNumber(), req.Reason,
	))
}

func receiptView(r payment.Receipt) *portalv1.Receipt {
	return &portalv1.Receipt{
		Number: r.Number, FileName: r.Name, FileType: r.Type, FileSize: r.Size, CreatedAt: rpc.Timestamp(r.CreatedAt),
	}
}
