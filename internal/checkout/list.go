package checkout

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
)

// Step is what a trader can do about a payment.
type Step string

// The steps.
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
	// Steps are the useful next steps, first the one that ends the payment well.
	Steps []Step
}

// Desk lists the open payments of the caller's trader, those that expire first before the others, at
// most payment.MaxDesk.
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

// Payment reads a payment that a user may see, open or ended, with the state of its checkout. Only
// traders get steps, while it is open or may be paid late.
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

// steps are what the trader can do now. They follow from the moves between phases, without those that
// would change nothing.
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

// DeskStamps are numbers, by trader, that change when anything changes that desks show of payments
// except their time, or a break. One query reads all of them.
func (s *Service) DeskStamps(ctx context.Context, traderIDs []int64) (map[int64]uint64, error) {
	rows, err := s.q.DeskStamps(ctx, traderIDs)
	return db.Stamps(rows), fault.Doing("read the stamps of desks", err)
}
