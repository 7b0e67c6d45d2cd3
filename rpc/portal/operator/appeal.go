package operator

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/portal"
)

// ListAppeals implements the service.
func (s *Service) ListAppeals(
	ctx context.Context, req *connect.Request[portalv1.ListAppealsRequest],
) (*connect.Response[portalv1.ListAppealsResponse], error) {
	page := payment.Page{Status: req.Msg.Status}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, cursor, err := s.Payments.ListAppeals(ctx, caller.From(ctx), page)
	if err != nil {
		return nil, err
	}
	out := &portalv1.ListAppealsResponse{NextCursor: cursor}
	for _, a := range list {
		out.Data = append(out.Data, appealView(a))
	}
	return connect.NewResponse(out), nil
}

// GetAppealFile implements the service.
func (s *Service) GetAppealFile(
	ctx context.Context, req *connect.Request[portalv1.GetAppealFileRequest],
) (*connect.Response[portalv1.GetAppealFileResponse], error) {
	return portal.AppealFile(ctx, s.Payments, req.Msg.GetAppealId())
}

// ReviewAppeal implements the service.
func (s *Service) ReviewAppeal(
	ctx context.Context, req *connect.Request[portalv1.ReviewAppealRequest],
) (*connect.Response[portalv1.AppealDecisionResponse], error) {
	return appealDecision("Appeal in review")(s.Payments.ReviewAppeal(ctx, caller.From(ctx), req.Msg.GetAppealId()))
}

// ResolveAppeal implements the service.
func (s *Service) ResolveAppeal(
	ctx context.Context, req *connect.Request[portalv1.ResolveAppealRequest],
) (*connect.Response[portalv1.AppealDecisionResponse], error) {
	return appealDecision("Appeal resolved")(s.Payments.ResolveAppeal(ctx, caller.From(ctx), req.Msg.GetAppealId(),
		payment.Resolution{Outcome: req.Msg.GetOutcome(), Reason: req.Msg.Reason, Statement: req.Msg.Statement}))
}

func appealDecision(
	message string,
) func(payment.AppealRecord, error) (*connect.Response[portalv1.AppealDecisionResponse], error) {
	return func(a payment.AppealRecord, err error) (*connect.Response[portalv1.AppealDecisionResponse], error) {
		if err != nil {
			return nil, err
		}
		return connect.NewResponse(&portalv1.AppealDecisionResponse{Message: message, Data: appealView(a)}), nil
	}
}

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
