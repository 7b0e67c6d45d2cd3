package checkout

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// Step is an action that a trader can take on a payment.
type Step string

const (
	StepConfirm       Step = "confirm"
	StepCancel        Step = "cancel"
	StepRequestCode   Step = "request_code"
	StepResend        Step = "resend"
	StepCodeNotNeeded Step = "code_not_needed"
)

// DeskPayment is an open payment of a trader with the state of its checkout.
type DeskPayment struct {
	payment.DeskPayment
	// Reading is the zero value if no card was entered.
	Reading
	// Steps are the useful next steps. The one that completes the payment
	// comes first.
	Steps []Step
}

// Desk lists the open payments of the caller's trader, the earliest expiry
// first, at most payment.MaxDesk.
func (s *Service) Desk(ctx context.Context, who caller.Caller) ([]DeskPayment, error) {
	open, err := s.Payments.Desk(ctx, who)
	if err != nil {
		return nil, err
	}
	payments := db.Each(open, func(p payment.DeskPayment) payment.Payment { return p.Payment })
	readings, err := s.Read(ctx, payments...)
	if err != nil {
		return nil, err
	}
	list := make([]DeskPayment, 0, len(open))
	for _, p := range open {
		d := DeskPayment{DeskPayment: p, Reading: readings[p.ID]}
		d.Steps = s.steps(d)
		list = append(list, d)
	}
	return list, nil
}

// Payment reads a payment that the caller may see, open or ended, with the
// state of its checkout. Only traders get steps, while the payment is open or
// may still be completed late.
func (s *Service) Payment(ctx context.Context, who caller.Caller, id string) (DeskPayment, error) {
	if err := who.Admit(ctx, caller.TraderRead, caller.MerchantRead, caller.OperatorRead); err != nil {
		return DeskPayment{}, err
	}
	p, err := s.Payments.Get(ctx, who, id)
	if err != nil {
		return DeskPayment{}, err
	}
	readings, err := s.Read(ctx, p)
	if err != nil {
		return DeskPayment{}, err
	}
	d := DeskPayment{DeskPayment: payment.DeskPayment{Payment: p}, Reading: readings[p.ID]}
	if d.Receipts, err = s.Payments.CountReceipts(ctx, p); err != nil {
		return DeskPayment{}, fmt.Errorf("count receipts: %w", err)
	}
	if who.Kind == caller.Trader && !p.Ended() {
		d.Steps = s.steps(d)
	} else if who.Kind == caller.Trader && s.Payments.MayComeLate(p) {
		d.Steps = []Step{StepConfirm}
	}
	return d, nil
}

// steps are what the trader can do now. They follow from the possible moves
// between phases, without those that would change nothing.
func (s *Service) steps(d DeskPayment) []Step {
	switch {
	case d.WaitsForRest():
		return []Step{StepConfirm}
	case !d.CardCheckout():
		return []Step{StepConfirm, StepCancel}
	}
	var steps []Step
	if d.Phase != AwaitingDetails {
		steps = append(steps, StepConfirm)
	}
	moves := func(step Step, after State, err error) {
		if err == nil && (after.Phase != d.Phase || after.Resends != d.Resends) {
			steps = append(steps, step)
		}
	}
	after, err := d.codeRequested()
	moves(StepRequestCode, after, err)
	if d.Method == payment.MethodQuasiEcom {
		after, err = d.resent(byTrader, s.clock.Now())
		moves(StepResend, after, err)
	}
	after, err = d.codeNotNeeded()
	moves(StepCodeNotNeeded, after, err)
	return append(steps, StepCancel)
}

// DeskStamps returns a number for each trader. It changes when anything changes
// that the desk shows of payments, except the time that is left, or when a
// break begins or ends. One query reads all of them.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.DeskStamps(ctx, traderIDs)
	return db.Stamps(rows), fault.Doing("read the stamps of desks", err)
}
