package report

import (
	"context"
	"errors"

	"gateway.example/internal/caller"
)

var errUnfinished = errors.New("not made yet")

// Timeline is what happened to a payment, the oldest first, as the caller may see it. The payment is
// named by its id or its uuid.
func (s *Service) Timeline(ctx context.Context, who caller.Caller, paymentID string) ([]Line, error) {
	return nil, errUnfinished
}

// PayoutTimeline is what happened to a payout, the oldest first, as the caller may see it. The
// payout is named by its uuid.
func (s *Service) PayoutTimeline(ctx context.Context, who caller.Caller, id string) ([]Line, error) {
	return nil, errUnfinished
}
