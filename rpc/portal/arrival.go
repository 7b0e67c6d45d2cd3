package portal

import (
	"context"
	"strconv"

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

// arrivalService serves portal.v1.ArrivalService.
type arrivalService struct {
	payments *payment.Service
	messages *bankmessage.Service
	view     rpc.PaymentView
}

// NewArrivalService makes the handler. payURL is the address of the hosted pages, without a trailing slash.
func NewArrivalService(
	payments *payment.Service, messages *bankmessage.Service, checkouts *checkout.Service, links *auth.Links, payURL string,
) portalv1connect.ArrivalServiceHandler {
	return &arrivalService{payments: payments, messages: messages, view: rpc.NewPaymentView(checkouts, links, payURL)}
}

func (s *arrivalService) ListPaymentArrivals(
	ctx context.Context, req *portalv1.ListPaymentArrivalsRequest,
) (*portalv1.ListPaymentArrivalsResponse, error) {
	who, id := caller.From(ctx), strconv.FormatInt(req.GetPaymentId(), 10)
	came, err := s.payments.Arrivals(ctx, who, id)
	if err != nil {
		return nil, err
	}
	fitting, err := s.payments.Fitting(ctx, who, id)
	return &portalv1.ListPaymentArrivalsResponse{
		Data: rpc.Views(came, arrivalView), Fitting: rpc.Views(fitting, arrivalView),
	}, err
}

func (s *arrivalService) DecideCase(
	ctx context.Context, m *portalv1.DecideCaseRequest,
) (*portalv1.DecideCaseResponse, error) {
	d := payment.CaseDecision{PaymentID: m.GetPaymentId(), Decision: m.GetDecision(), Reason: m.Reason}
	if m.Method != nil || m.Address != nil || m.Recipient != nil {
		d.To = &payout.Recipient{
			Method: m.GetMethod(), Address: m.GetAddress(), Recipient: m.GetRecipient(), BankName: m.BankName,
		}
	}
	p, err := s.payments.DecideCase(ctx, caller.From(ctx), d)
	return &portalv1.DecideCaseResponse{Message: "Decided", Status: string(p.Status)}, err
}

func (s *arrivalService) ListFreeArrivals(
	ctx context.Context, req *portalv1.ListFreeArrivalsRequest,
) (*portalv1.ListFreeArrivalsResponse, error) {
	page := payment.FreeArrivals{Amount: req.GetAmount(), Words: req.GetWords()}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.payments.ListFree(ctx, caller.From(ctx), page)
	return &portalv1.ListFreeArrivalsResponse{Data: rpc.Views(list, arrivalView), NextCursor: next}, err
}

func (s *arrivalService) KeepArrival(
	ctx context.Context, m *portalv1.KeepArrivalRequest,
) (*portalv1.KeepArrivalResponse, error) {
	kept, err := s.payments.KeepMoney(ctx, caller.From(ctx), m.GetRequisiteId(), payment.Came{
		Amount: &m.Amount, Payer: m.Payer, Note: m.Note, At: rpc.Instant(m.CameAt),
	})
	return &portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}, err
}

func (s *arrivalService) KeepMessage(
	ctx context.Context, m *portalv1.KeepMessageRequest,
) (*portalv1.KeepArrivalResponse, error) {
	kept, err := s.messages.Keep(ctx, caller.From(ctx), bankmessage.Keeping{
		MessageID: m.GetMessageId(), RequisiteID: m.GetRequisiteId(), Amount: m.Amount, Payer: m.Payer, Note: m.Note,
	})
	return &portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}, err
}

func (s *arrivalService) AttachArrival(
	ctx context.Context, req *portalv1.AttachArrivalRequest,
) (*portalv1.AttachArrivalResponse, error) {
	p, err := s.payments.Attach(ctx, caller.From(ctx), req.GetArrivalId(), req.GetPaymentId())
	shown, err := s.view.ShowOne(ctx, p, err)
	return &portalv1.AttachArrivalResponse{Message: "Attached", Data: shown}, err
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
