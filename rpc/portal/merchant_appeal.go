package portal

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

// ListAppeals implements the service.
func (s *MerchantService) ListAppeals(
	ctx context.Context, req *connect.Request[portalv1.MerchantServiceListAppealsRequest],
) (*connect.Response[portalv1.MerchantServiceListAppealsResponse], error) {
	page := payment.OwnAppeals{Page: payment.Page{Status: req.Msg.Status}, CashboxID: req.Msg.MerchantCashboxId}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Payments.ListOwnAppeals(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.MerchantServiceListAppealsResponse{NextCursor: cursor}
	for _, a := range list {
		out.Data = append(out.Data, merchantAppeal(a))
	}
	return connect.NewResponse(out), nil
}

// GetAppeal implements the service.
func (s *MerchantService) GetAppeal(
	ctx context.Context, req *connect.Request[portalv1.GetAppealRequest],
) (*connect.Response[portalv1.GetAppealResponse], error) {
	who, id := caller.From(ctx), req.Msg.GetAppealId()
	if req.Msg.PaymentId != nil && req.Msg.AppealId == nil {
		var err error
		if id, err = s.Payments.AppealOf(ctx, who, req.Msg.GetPaymentId()); err != nil {
			return nil, err
		}
		if id == 0 {
			return nil, fault.ErrNotFound
		}
	}
	found, err := s.Payments.GetAppeal(ctx, who, id)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetAppealResponse{Data: merchantAppeal(found)}), nil
}

// GetAppealFile implements the service.
func (s *MerchantService) GetAppealFile(
	ctx context.Context, req *connect.Request[portalv1.GetAppealFileRequest],
) (*connect.Response[portalv1.GetAppealFileResponse], error) {
	return AppealFile(ctx, s.Payments, req.Msg.GetAppealId())
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

// AppealFile is the file of an appeal, as the caller may see it.
func AppealFile(
	ctx context.Context, payments *payment.Service, id int64,
) (*connect.Response[portalv1.GetAppealFileResponse], error) {
	file, err := payments.ReadAppealFile(ctx, caller.From(ctx), id)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.GetAppealFileResponse{
		FileName: file.Name, FileType: file.Type, Content: file.Content,
	}), nil
}
