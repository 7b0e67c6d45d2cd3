package portal

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *MerchantService) ListAppeals(
	ctx context.Context, req *portalv1.MerchantServiceListAppealsRequest,
) (*portalv1.MerchantServiceListAppealsResponse, error) {
	page := payment.OwnAppeals{Page: payment.Page{Status: req.Status}, CashboxID: req.MerchantCashboxId}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Payments.ListOwnAppeals(ctx, caller.From(ctx), page)
	return &portalv1.MerchantServiceListAppealsResponse{Data: rpc.Views(list, merchantAppeal), NextCursor: cursor}, err
}

func (s *MerchantService) GetAppeal(
	ctx context.Context, req *portalv1.GetAppealRequest,
) (*portalv1.GetAppealResponse, error) {
	who, id := caller.From(ctx), req.GetAppealId()
	if req.PaymentId != nil && req.AppealId == nil {
		var err error
		if id, err = s.Payments.AppealOf(ctx, who, req.GetPaymentId()); err != nil {
			return nil, err
		}
		if id == 0 {
			return nil, fault.ErrNotFound
		}
	}
	found, err := s.Payments.GetAppeal(ctx, who, id)
	return &portalv1.GetAppealResponse{Data: merchantAppeal(found)}, err
}

// merchantAppeal leaves out what merchants may not see, such as the trader.
func merchantAppeal(a payment.AppealRecord) *portalv1.MerchantAppeal {
	p := a.Payment
	return &portalv1.MerchantAppeal{
		Id:                  a.ID,
		Status:              a.Status,
		StatusUpdatedAt:     rpc.Timestamp(a.StatusAt),
		CreatedAt:           rpc.Timestamp(a.CreatedAt),
		Reason:              a.Reason,
		FileName:            a.KeptName(),
		FileType:            a.FileType,
		FileSize:            a.FileSize,
		PaymentId:           p.ID,
		Uuid:                p.UUID.String(),
		OrderId:             p.OrderID,
		MerchantCashboxId:   p.CashboxID,
		Method:              p.Method,
		Amount:              money.Fiat(p.Amount),
		Currency:            p.Currency,
		PaymentStatus:       string(p.Status),
		PaymentStatusReason: p.StatusReason,
	}
}

// AppealFiles are the method by which merchants and operators get the file of
// an appeal.
type AppealFiles struct{ Of *payment.Service }

func (a AppealFiles) GetAppealFile(
	ctx context.Context, req *portalv1.GetAppealFileRequest,
) (*portalv1.GetAppealFileResponse, error) {
	file, err := a.Of.ReadAppealFile(ctx, caller.From(ctx), req.GetAppealId())
	return &portalv1.GetAppealFileResponse{FileName: file.Name, FileType: file.Type, Content: file.Content}, err
}
