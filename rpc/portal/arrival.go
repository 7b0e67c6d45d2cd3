package portal

import (
	"context"
	"strconv"

	"gateway.example/internal/bankmessage"
	"gateway.example/internal/caller"
	"gateway.example/internal/money"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/rpc"
	portalv1 "gateway.example/rpc/gen/portal/v1"
)

type ArrivalService struct {
	Payments *payment.Service
	Messages *bankmessage.Service
	rpc.PaymentView
}

func (s *ArrivalService) ListPaymentArrivals(
	ctx context.Context, req *portalv1.ListPaymentArrivalsRequest,
) (*portalv1.ListPaymentArrivalsResponse, error) {
	who, id := caller.From(ctx), strconv.FormatInt(req.GetPaymentId(), 10)
	came, err := s.Payments.Arrivals(ctx, who, id)
	if err != nil {
		return nil, err
	}
	fitting, err := s.Payments.Fitting(ctx, who, id)
	return &portalv1.ListPaymentArrivalsResponse{
		Data: rpc.Views(came, arrivalView), Fitting: rpc.Views(fitting, arrivalView),
	}, err
}

func (s *ArrivalService) DecideCase(
	ctx context.Context, m *portalv1.DecideCaseRequest,
) (*portalv1.DecideCaseResponse, error) {
	d := payment.CaseDecision{
		PaymentID: m.GetPaymentId(), Decision: m.GetDecision(), Reason: m.Reason, Came: m.GetReceivedAmount(),
	}
	if m.Method != nil || m.Address != nil || m.Recipient != nil {
		d.To = &payout.Recipient{
			Method: m.GetMethod(), Address: m.GetAddress(), Recipient: m.GetRecipient(), BankName: m.BankName,
		}
	}
	p, err := s.Payments.DecideCase(ctx, caller.From(ctx), d)
	return &portalv1.DecideCaseResponse{Message: "Decided", Status: string(p.Status)}, err
}

func (s *ArrivalService) ListFreeArrivals(
	ctx context.Context, req *portalv1.ListFreeArrivalsRequest,
) (*portalv1.ListFreeArrivalsResponse, error) {
	page := payment.FreeArrivals{Amount: req.GetAmount(), Words: req.GetWords()}
	page.Limit, page.Cursor = req.Limit, req.Cursor
	list, next, err := s.Payments.ListFree(ctx, caller.From(ctx), page)
	return &portalv1.ListFreeArrivalsResponse{Data: rpc.Views(list, arrivalView), NextCursor: next}, err
}

func (s *ArrivalService) KeepArrival(
	ctx context.Context, m *portalv1.KeepArrivalRequest,
) (*portalv1.KeepArrivalResponse, error) {
	kept, err := s.Payments.KeepMoney(ctx, caller.From(ctx), m.GetRequisiteId(), payment.Came{
		Amount: &m.Amount, Payer: m.Payer, Note: m.Note, At: rpc.Instant(m.CameAt),
	})
	return &portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}, err
}

func (s *ArrivalService) KeepMessage(
	ctx context.Context, m *portalv1.KeepMessageRequest,
) (*portalv1.KeepArrivalResponse, error) {
	kept, err := s.Messages.Keep(ctx, caller.From(ctx), bankmessage.Keeping{
		MessageID: m.GetMessageId(), RequisiteID: m.GetRequisiteId(), Amount: m.Amount, Payer: m.Payer, Note: m.Note,
	})
	return &portalv1.KeepArrivalResponse{Message: "Kept", Data: arrivalView(kept)}, err
}

func (s *ArrivalService) AttachArrival(
	ctx context.Context, req *portalv1.AttachArrivalRequest,
) (*portalv1.AttachArrivalResponse, error) {
	p, err := s.Payments.Attach(ctx, caller.From(ctx), req.GetArrivalId(), req.GetPaymentId())
	shown, err := s.ShowOne(ctx, p, err)
	return &portalv1.AttachArrivalResponse{Message: "Attached", Data: shown}, err
}

func arrivalView(a payment.Arrival) *portalv1.Arrival {
	view := &portalv1.Arrival{
		Id: a.ID, Amount: money.Fiat(a.Amount), Currency: a.Currency, CameAt: rpc.Timestamp(a.CameAt), Payer: a.Payer,
		Note: a.Note, MessageId: a.MessageID, State: string(a.State), PaymentId: a.PaymentID, Actor: a.Actor,
		CreatedAt: rpc.Timestamp(a.CreatedAt),
	}
	if a.PayoutUUID != nil {
		view.PayinId = new(a.PayoutUUID.String())
	}
	return view
}
