package rpc

import (
	"context"

	"connectrpc.com/connect"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

// ListPayments implements the service.
func (s *PaymentService) ListPayments(
	ctx context.Context, req *connect.Request[gatewayv1.ListPaymentsRequest],
) (*connect.Response[gatewayv1.ListPaymentsResponse], error) {
	m, who, found := req.Msg, caller.From(ctx), fault.Decoded(ctx)
	query := payment.Query{
		Page: payment.Page{Status: m.Status}, OrderID: m.OrderId, Method: m.Method,
	}
	query.From, query.To = instant(found, "from", m.GetFrom()), instant(found, "to", m.GetTo())
	query.Limit, query.Cursor = m.Limit, m.Cursor
	list, cursor, err := s.payments.List(fault.WithDecoded(ctx, found), who, query)
	if err != nil {
		return nil, err
	}
	out := &gatewayv1.ListPaymentsResponse{
		NextCursor: cursor, Signed: who.Kind == caller.MerchantKey && m.OrderId != nil,
	}
	for _, p := range list {
		out.Data = append(out.Data, s.view.item(who, p))
	}
	return connect.NewResponse(out), nil
}

func (v paymentView) item(who caller.Caller, p payment.Payment) *gatewayv1.PaymentListItem {
	return &gatewayv1.PaymentListItem{
		Id: p.ID, Uuid: p.UUID.String(), OrderId: p.OrderID, Amount: money.Fiat(p.Amount), Currency: p.Currency,
		Status: string(p.Status), RequisiteSnapshot: requisiteView(who, p), Ledger: ledgerView(who, p, p.Seen(who)),
		CreatedAt: timestamp(p.CreatedAt), StatusUpdatedAt: timestamp(p.StatusAt),
	}
}
