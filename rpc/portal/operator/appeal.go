package operator

import (
	"context"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

func (s *service) ListAppeals(
	ctx context.Context, req *portalv1.ListAppealsRequest,
) (*portalv1.ListAppealsResponse, error) {
	page := payment.Page{Status: req.Status}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, cursor, err := s.Payments.ListAppeals(ctx, caller.From(ctx), page)
	return &portalv1.ListAppealsResponse{Data: rpc.Views(list, appealView), NextCursor: cursor}, err
}

func (s *service) ReviewAppeal(
	ctx context.Context, req *portalv1.ReviewAppealRequest,
) (*portalv1.AppealDecisionResponse, error) {
	a, err := s.Payments.ReviewAppeal(ctx, caller.From(ctx), req.GetAppealId())
	return &portalv1.AppealDecisionResponse{Message: "Appeal in review", Data: appealView(a)}, err
}

func (s *service) ResolveAppeal(
	ctx context.Context, req *portalv1.ResolveAppealRequest,
) (*portalv1.AppealDecisionResponse, error) {
	a, err := s.Payments.ResolveAppeal(ctx, caller.From(ctx), req.GetAppealId(),
		payment.Resolution{Outcome: req.GetOutcome(), Reason: req.Reason, Statement: req.Statement})
	return &portalv1.AppealDecisionResponse{Message: "Appeal resolved", Data: appealView(a)}, err
}

// appealView is an appeal with the payment it is about, and without the content
// of its file, which GetAppealFile sends. The file's name is one that is safe
// to show and to save, not the merchant's own.
func appealView(a payment.AppealRecord) *portalv1.OperatorAppeal {
	return &portalv1.OperatorAppeal{
		Id:              a.ID,
		Status:          a.Status,
		StatusUpdatedAt: rpc.Timestamp(a.StatusAt),
		CreatedAt:       rpc.Timestamp(a.CreatedAt),
		Reason:          a.Reason,
		FileName:        a.KeptName(),
		FileType:        a.FileType,
		FileSize:        a.FileSize,
		PaymentId:       a.Payment.ID,
		Uuid:            a.Payment.UUID.String(),
		OrderId:         a.Payment.OrderID,
		MerchantId:      a.Payment.MerchantID,
		TraderId:        a.Payment.TraderID,
		Method:          a.Payment.Method,
		Amount:          money.Fiat(a.Payment.Amount),
		Currency:        a.Payment.Currency,
		PaymentStatus:   string(a.Payment.Status),
		Statement:       a.Statement,
	}
}
