package trigger

import (
	"context"
	"errors"

	"github.com/google/uuid"

	"gateway.example/internal/caller"
	"gateway.example/internal/fault"
	"gateway.example/internal/payout"
)

var errNoTrader = fault.New(fault.Refused, "no_free_trader",
	"No trader of the sandbox can take this payout now: each has as many open as they may have.")

// operator may read every merchant's payouts.
var operator = caller.Caller{Kind: caller.Operator, Role: caller.Admin}

// completePayout makes a trader take a payout, if nobody has, and complete it.
func (s *Service) completePayout(ctx context.Context, id uuid.UUID) (Happened, error) {
	p, err := s.openPayout(ctx, id)
	if err != nil {
		return Happened{}, err
	}
	trader, err := s.takerOf(ctx, p)
	if err != nil {
		return Happened{}, err
	}
	proof := "sandbox-" + p.UUID.String()
	if _, err := s.Payouts.Complete(ctx, asTrader(trader), p.UUID.String(), &proof); err != nil {
		return Happened{}, err
	}
	return Happened{ID: p.UUID, OrderID: p.OrderID, Status: string(payout.Completed)}, nil
}

// openPayout finds the payout, which must not have ended, or makes one.
func (s *Service) openPayout(ctx context.Context, id uuid.UUID) (payout.Payout, error) {
	if id == uuid.Nil {
		return s.makePayout(ctx)
	}
	p, err := s.Payouts.Get(ctx, operator, id.String())
	if err != nil {
		return p, unknownID(err, noPayout)
	}
	if p.Status != payout.Waiting && p.Status != payout.Processing {
		return p, payout.ErrNotProcessing
	}
	return p, nil
}

// makePayout makes a payout as a shop's server would.
func (s *Service) makePayout(ctx context.Context) (payout.Payout, error) {
	merchant, err := s.Merchant(ctx, "RUB")
	if err != nil {
		return payout.Payout{}, err
	}
	bank := "Sample Bank"
	created, err := s.Payouts.Create(ctx, merchant, payout.Request{
		OrderID: newOrder(), Amount: "1500.00", Currency: "RUB", Method: "sbp", CallbackURI: s.Hook,
		Address: "+79001234567", Recipient: "Anna S.", BankName: &bank,
	})
	return created.Payout, err
}

// takerOf is the trader who took the payout, or the first one who can.
func (s *Service) takerOf(ctx context.Context, p payout.Payout) (int64, error) {
	if p.Status == payout.Processing && p.TraderID != nil {
		return *p.TraderID, nil
	}
	for _, id := range s.Traders {
		_, err := s.Payouts.Take(ctx, asTrader(id), p.UUID.String())
		switch {
		case err == nil:
			return id, nil
		case errors.Is(err, payout.ErrTakeLimit), errors.Is(err, fault.ErrNotFound): // not on these terms
		default:
			return 0, err
		}
	}
	return 0, errNoTrader
}
