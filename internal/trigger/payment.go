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

// reasonFailed is the reason of a payment that is made to fail.
const reasonFailed = "No transfer has come."

// actorApplication is the application's name in histories.
const actorApplication = string(caller.Application)

// trial is a payment to be made.
type trial struct{ method, currency, amount string }

var (
	byTransfer = trial{"sbp", "RUB", "1500.00"}
	byCard     = trial{payment.MethodQuasiEcom, "AZN", "30.00"}
)

// completePayment makes the trader confirm that the money has arrived.
func (s *Service) completePayment(ctx context.Context, id uuid.UUID) (Happened, error) {
	p, err := s.openPayment(ctx, id, byTransfer)
	if err != nil {
		return Happened{}, err
	}
	if err := s.enterCard(ctx, p, cardApproved); err != nil {
		return Happened{}, err
	}
	p, err = s.Payments.Confirm(ctx, asTrader(p.TraderID), p.ID)
	return toPayment(p), err
}

// failPayment fails a payment for the application, unless it has ended
// meanwhile.
func (s *Service) failPayment(ctx context.Context, id uuid.UUID) (Happened, error) {
	p, err := s.openPayment(ctx, id, byTransfer)
	if err != nil {
		return Happened{}, err
	}
	reason := reasonFailed
	p, err = s.Payments.WithLocked(ctx, p.MerchantID, p.ID, func(p *payment.Locked) error {
		if p.Ended() {
			return payment.ErrNotPending
		}
		return p.Move(ctx, payment.Failed, actorApplication, &reason)
	})
	return toPayment(p), err
}

// resendCode makes the trader ask for the code again.
func (s *Service) resendCode(ctx context.Context, id uuid.UUID) (Happened, error) {
	p, err := s.openPayment(ctx, id, byCard)
	if err != nil {
		return Happened{}, err
	}
	if p.Method != payment.MethodQuasiEcom {
		return Happened{}, fault.Fields{"id": {"must be a quasi_ecom payment: no other has its code resent"}}.Err()
	}
	if err := s.enterCard(ctx, p, cardWithCode); err != nil {
		return Happened{}, err
	}
	p, err = s.Checkouts.RequestResend(ctx, asTrader(p.TraderID), p.ID)
	return toPayment(p), err
}

func toPayment(p payment.Payment) Happened {
	return Happened{ID: p.UUID, PaymentID: p.ID, OrderID: p.OrderID, Status: string(p.Status)}
}

// openPayment finds the payment, which must not have ended, or makes one.
func (s *Service) openPayment(ctx context.Context, id uuid.UUID, otherwise trial) (payment.Payment, error) {
	if id == uuid.Nil {
		return s.makePayment(ctx, otherwise)
	}
	p, err := s.Payments.ByUUID(ctx, id)
	if err == nil && p.Ended() {
		err = payment.ErrNotPending
	}
	return p, unknownID(err, noPayment)
}

// makePayment makes a payment as a shop's server would.
func (s *Service) makePayment(ctx context.Context, t trial) (payment.Payment, error) {
	merchant, err := s.Merchant(ctx, t.currency)
	if err != nil {
		return payment.Payment{}, err
	}
	created, err := s.Payments.Create(ctx, merchant, payment.Request{
		OrderID: newOrder(), Amount: t.amount, Currency: t.currency, Method: &t.method, CallbackURI: s.Hook,
	})
	return created.Payment, err
}

// Cards of the sandbox's acquirer: one is approved, and one needs a code.
const (
	cardApproved = "4242424242424242"
	cardWithCode = "4000002500003155"
)

// enterCard enters a card for the payer, if the payment waits for one.
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
