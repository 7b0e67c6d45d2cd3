package rpc

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/optional"
	"gateway.example/internal/payment"
	gatewayv1 "gateway.example/rpc/gen/gateway/v1"
)

func (s *PaymentService) ListPayments(
	ctx context.Context, m *gatewayv1.ListPaymentsRequest,
) (*gatewayv1.ListPaymentsResponse, error) {
	who := caller.From(ctx)
	query := payment.Query{
		Page: payment.Page{Status: m.Status}, OrderID: m.OrderId, Method: m.Method,
		Metadata: m.GetMetadata(),
	}
	query.Limit, query.Cursor, query.From, query.To = m.Limit, m.Cursor, Instant(m.GetFrom()), Instant(m.GetTo())
	list, cursor, err := s.Payments.List(ctx, who, query)
	return &gatewayv1.ListPaymentsResponse{
		Data:       Views(list, func(p payment.Payment) *gatewayv1.PaymentListItem { return s.item(who, p) }),
		NextCursor: cursor, Signed: who.Kind == caller.MerchantKey && m.OrderId != nil,
	}, err
}

// item is a payment in a list, which has less than the payment itself. A
// merchant's key sees neither the rate nor the platform's earnings in lists,
// although a single payment shows them to it.
func (v PaymentView) item(who caller.Caller, p payment.Payment) *gatewayv1.PaymentListItem {
	seen := p.SumsFor(who)
	if who.Kind == caller.MerchantKey { // lists hide from keys what a single payment shows
		seen = seen.Restrict()
	}
	item := &gatewayv1.PaymentListItem{
		Id: p.ID, Uuid: p.UUID.String(), OrderId: p.OrderID, Amount: money.Fiat(p.Amount), Currency: p.Currency,
		Status: string(p.Status), RequisiteSnapshot: requisiteView(who, p), Ledger: ledgerView(who, p, seen),
		CreatedAt: Timestamp(p.CreatedAt), StatusUpdatedAt: Timestamp(p.StatusAt), ReceivedAmount: OptionalFiat(p.ReceivedAmount),
		Method: p.Method,
	}
	if who.SeesMetadata() {
		item.Metadata = p.Metadata
	}
	return item
}

// Instant reads an optional time; nil is none.
func Instant(at *timestamppb.Timestamp) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.AsTime())
}

// Moment is Instant with the zero time for none.
func Moment(at *timestamppb.Timestamp) time.Time { return optional.Value(Instant(at)) }

func Views[T, V any](list []T, view func(T) V) []V {
	data := make([]V, 0, len(list))
	for _, one := range list {
		data = append(data, view(one))
	}
	return data
}

// Maybe converts what may be missing; nil is missing in the answer, too.
func Maybe[T, V any](one *T, view func(T) *V) *V {
	if one == nil {
		return nil
	}
	return view(*one)
}
