package portal

import (
	"context"
	"strconv"

	"connectrpc.com/connect"

	"gateway.example/internal/auth"
	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/checkout"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
	"gateway.example/rpc/gen/portal/v1/portalv1connect"
)

// ArrivalService serves portal.v1.ArrivalService.
type ArrivalService struct {
	payments *payment.Service
	messages *bankmessage.Service
	view     rpc.PaymentView
}

var _ portalv1connect.ArrivalServiceHandler = (*ArrivalService)(nil)

// NewArrivalService makes the handler. payURL is the address of the hosted pages, without a trailing slash.
func NewArrivalService(
	payments *payment.Service, messages *bankmessage.Service, checkouts *checkout.Service, links *auth.Links, payURL string,
) *ArrivalService {
	return &ArrivalService{payments: payments, messages: messages, view: rpc.NewPaymentView(checkouts, links, payURL)}
}

// ListPaymentArrivals implements the service.
func (s *ArrivalService) ListPaymentArrivals(
	ctx context.Context, req *connect.Request[portalv1.ListPaymentArrivalsRequest],
) (*connect.Response[portalv1.ListPaymentArrivalsResponse], error) {
	who, id := caller.From(ctx), strconv.FormatInt(req.Msg.GetPaymentId(), 10)
	came, err := s.payments.Arrivals(ctx, who, id)
	if err != nil {
		return nil, err
	}
	fitting, err := s.payments.Fitting(ctx, who, id)
	return connect.NewResponse(&portalv1.ListPaymentArrivalsResponse{
		Data: rpc.Views(came, arrivalView), Fitting: rpc.Views(fitting, arrivalView),
	}), err
}

// DecideCase implements the service.
func (s *ArrivalService) DecideCase(
	ctx context.Context, req *connect.Request[portalv1.DecideCaseRequest],
) (*connect.Response[portalv1.DecideCaseResponse], error) {
	m := req.Msg
	d := payment.CaseDecision{PaymentID: m.GetPaymentId(), Decision: m.GetDecision(), Reason: m.Reason}
	if m.Method != nil || m.Address != nil || m.Recipient != nil {
		d.To = &payout.Recipient{
			Method: m.GetMethod(), Address: m.GetAddress(), Recipient: m.GetRecipient(), BankName: m.BankName,
		}
	}
	p, err := s.payments.DecideCase(ctx, caller.From(ctx), d)
	return connect.NewResponse(&portalv1.DecideCaseResponse{Message: "Decided", Status: string(p.Status)}), err
}

// ListFreeArrivals implements the service.
func (s *ArrivalService) ListFreeArrivals(
	ctx context.Context, req *connect.Request[portalv1.ListFreeArrivalsRequest],
) (*connect.Response[portalv1.ListFreeArrivalsResponse], error) {
	page := payment.FreeArrivals{Amount: req.Msg.GetAmount(), Words: req.Msg.GetWords()}
	page.Limit, page.Cursor = req.Msg.Limit, req.Msg.Cursor
	list, next, err := s.payments.ListFree(ctx, caller.From(ctx), page)
	return connect.NewResponse(&portalv1.ListFreeArrivalsResponse{Data: rpc.Views(list, arrivalView), NextCursor: next}), err
}

// KeepArrival implements the service.
func (s *ArrivalService) KeepArrival(
	ctx context.Context, req *connect.Request[portalv1.KeepArrivalRequest],
) (*connect.Response[portalv1.KeepArrivalResponse], error) {
	m := req.Msg
	said := payment.Came{Amount: &m.Amount, Payer: m.Payer, Note: m.Note}
	if m.CameAt != nil {
		said.At = new(m.CameAt.AsTime())
	}
	kept, err := s.payments.KeepMoney(ctx, caller.From(ctx), m.GetRequisiteId(), said)
	return connect.NewResponse(&portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}), err
}

// KeepMessage implements the service.
func (s *ArrivalService) KeepMessage(
	ctx context.Context, req *connect.Request[portalv1.KeepMessageRequest],
) (*connect.Response[portalv1.KeepArrivalResponse], error) {
	m := req.Msg
	kept, err := s.messages.Keep(ctx, caller.From(ctx), bankmessage.Keeping{
		MessageID: m.GetMessageId(), RequisiteID: m.GetRequisiteId(), Amount: m.Amount, Payer: m.Payer, Note: m.Note,
	})
	return connect.NewResponse(&portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}), err
}

// AttachArrival implements the service.
func (s *ArrivalService) AttachArrival(
	ctx context.Context, req *connect.Request[portalv1.AttachArrivalRequest],
) (*connect.Response[portalv1.AttachArrivalResponse], error) {
	who := caller.From(ctx)
	p, err := s.payments.Attach(ctx, who, req.Msg.GetArrivalId(), req.Msg.GetPaymentId())
	if err != nil {
		return nil, err
	}
	shown, err := s.view.Show(ctx, who, p)
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(&portalv1.AttachArrivalResponse{Message: "Attached", Data: shown[0]}), nil
}

func arrivalView(a payment.Arrival) *portalv1.Arrival {
	view := &portalv1.Arrival{
		Id: a.ID, Amount: money.Fiat(a.Amount), Currency: a.Currency, CameAt: rpc.Timestamp(a.CameAt), Payer: a.Payer,
		Note: a.Note, MessageId: a.MessageID, State: string(a.State), PaymentId: a.PaymentID, Actor: a.Actor,
		CreatedAt: rpc.Timestamp(a.CreatedAt),
	}
	if a.PayinUUID != nil {
		view.PayinId = new(a.PayinUUID.String())
	}
	return view
}
