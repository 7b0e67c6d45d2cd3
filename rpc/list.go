package rpc

import (
	"context"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/types/known/timestamppb"

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
		Metadata: m.GetMetadata(),
	}
	query.From, query.To = Instant(found, "from", m.GetFrom()), Instant(found, "to", m.GetTo())
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

func (v PaymentView) item(who caller.Caller, p payment.Payment) *gatewayv1.PaymentListItem {
	seen := p.Seen(who)
	if who.Kind == caller.MerchantKey { // lists hide from keys what a single payment shows
		seen = seen.Restrict()
	}
	item := &gatewayv1.PaymentListItem{
		Id: p.ID, Uuid: p.UUID.String(), OrderId: p.OrderID, Amount: money.Fiat(p.Amount), Currency: p.Currency,
		Status: string(p.Status), RequisiteSnapshot: requisiteView(who, p), Ledger: ledgerView(who, p, seen),
		CreatedAt: Timestamp(p.CreatedAt), StatusUpdatedAt: Timestamp(p.StatusAt), ReceivedAmount: OptionalFiat(p.ReceivedAmount),
	}
	if who.Kind != caller.Cabinet {
		item.Metadata = p.Metadata
	}
	return item
}

// Instant reads an optional time; nil is none. It refuses a time outside the years that a date has.
func Instant(found fault.Fields, field string, at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	found.Check(at.IsValid(), field, "must be a time in the years 1 to 9999")
	return new(at.AsTime())
}

// Moment is a time that may not be set.
func Moment(found fault.Fields, field string, at *timestamppb.Timestamp) time.Time {
	if set := Instant(found, field, at); set != nil {
		return *set
	}
	return time.Time{}
}

// Views converts a list for an answer.
func Views[T, V any](list []T, view func(T) V) []V {
	data := make([]V, 0, len(list))
	for _, one := range list {
		data = append(data, view(one))
	}
	return data
}
