package rpc

import (
	"context"

	"gateway.example/internal/auth"
	"gateway.example/internal/payment"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

func (s *PaymentService) CreateAppeal(
	ctx context.Context, m *gatewayv1.CreateAppealRequest,
) (*gatewayv1.CreateAppealResponse, error) {
	sent, file := auth.Upload{Reason: m.Reason, FileName: m.FileName}, UploadedFile(ctx, m.File)
	if file != nil {
		sent.FileSize = new(file.Size())
	}
	who, signed, err := auth.ProveUpload(ctx, sent)
	if err != nil {
		return nil, err
	}
	id, err := s.idOf(ctx, m.GetPaymentId(), m.PaymentUuid)
	if err != nil {
		return nil, err
	}
	return AppealCreated(s.Payments.OpenAppeal(ctx, who, id, payment.AppealRequest{
		Reason: signed.Reason, FileName: signed.FileName, File: file,
	}))
}

func AppealCreated(opened payment.AppealRecord, err error) (*gatewayv1.CreateAppealResponse, error) {
	return &gatewayv1.CreateAppealResponse{
		Message: "Appeal created",
		Data: &gatewayv1.Appeal{
			Id:        opened.ID,
			PaymentId: opened.Payment.ID,
			Uuid:      opened.Payment.UUID.String(),
			Reason:    opened.Reason,
			FileName:  opened.FileName,
			FileSize:  opened.FileSize,
			Status:    opened.Status,
			CreatedAt: Timestamp(opened.CreatedAt),
		},
	}, err
}
