package trigger

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/card"
	"gateway.example/internal/checkout"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// reasonFailed is why a payment fails that is told to.
const reasonFailed = "No transfer has come."

// actorApplication names the application in histories, as where it sets a status itself.
const actorApplication = string(caller.Application)

// happenToPayment makes an event of payments happen.
func (s *Service) happenToPayment(ctx context.Context, event string, id uuid.UUID) (payment.Payment, error) {
	p, err := s.openPayment(ctx, event, id)
	if err != nil {
		return p, err
	}
	switch event {
	case PaymentCompleted:
		if err := s.enterCard(ctx, p, cardApproved); err != nil {
			return p, err
		}
		return s.Payments.Confirm(ctx, asTrader(p.TraderID), p.ID)
	case PaymentFailed:
		return s.fail(ctx, p)
	default:
		if err := s.enterCard(ctx, p, cardWithCode); err != nil {
			return p, err
		}
		return s.Checkouts.RequestResend(ctx, asTrader(p.TraderID), p.ID)
	}
}

// openPayment finds the payment, which must not be over, or makes one.
func (s *Service) openPayment(ctx context.Context, event string, id uuid.UUID) (payment.Payment, error) {
	if id == uuid.Nil {
		return s.makePayment(ctx, event)
	}
	p, err := s.Payments.ByUUID(ctx, id)
	switch {
	case err != nil:
		return p, unknownID(err, noPayment)
	case p.Ended():
		return p, payment.ErrNotPending
	case event == PaymentCodeResend && p.Method != payment.MethodQuasiEcom:
		return p, fault.Fields{"id": {"must be a payment by " + payment.MethodQuasiEcom + ": no other has codes"}}.Err()
	}
	return p, nil
}

// makePayment makes a payment as the shop's server would: by card where there is to be a code.
func (s *Service) makePayment(ctx context.Context, event string) (payment.Payment, error) {
	method, currency, amount := "sbp", "RUB", "1500.00"
	if event == PaymentCodeResend {
		method, currency, amount = payment.MethodQuasiEcom, "AZN", "30.00"
	}
	merchant, err := s.Merchant(ctx, currency)
	if err != nil {
		return payment.Payment{}, err
	}
	created, err := s.Payments.Create(ctx, merchant, payment.Request{
		OrderID: newOrder(), Amount: amount, Currency: currency, Method: &method, CallbackURI: s.Hook,
	})
	return created.Payment, err
}

// Cards of the sandbox's acquirer: one that it approves, and one that needs a code.
const (
	cardApproved = "4242424242424242"
	cardWithCode = "4000002500003155"
)

// enterCard has the payer enter a card, where the payment waits for one.
func (s *Service) enterCard(ctx context.Context, p payment.Payment, pan string) error {
	if !p.CardCheckout() {
		return nil
	}
	token := s.Links.Token(p.UUID)
	view, err := s.Checkouts.Get(ctx, token)
	if err != nil || view.Phase != checkout.AwaitingDetails {
		return err
	}
	_, err = s.Checkouts.SubmitDetails(ctx, token, checkout.Details{
		Entry: card.Entry{
			PAN: pan, ExpMonth: "12", ExpYear: strconv.Itoa(s.Clock.Now().Add(year).Year()), Holder: "ANNA S",
		},
		CVV: "123",
	})
	return err
}

const year = 365 * 24 * time.Hour

// fail fails a payment on the application's word, unless it has ended meanwhile.
func (s *Service) fail(ctx context.Context, p payment.Payment) (payment.Payment, error) {
	reason := reasonFailed
	return s.Payments.WithLocked(ctx, p.MerchantID, p.ID, func(p *payment.Locked) error {
		if p.Ended() {
			return payment.ErrNotPending
		}
		return p.Move(ctx, payment.Failed, actorApplication, &reason)
	})
}
