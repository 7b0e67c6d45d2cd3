package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/fault"
)

// ErrClaimed says that another open transaction has inserted the same unique
// key, and did not end while we waited for the lock.
var ErrClaimed = errors.New("another transaction is claiming the same key")

// A claim is tried again after a pause that doubles from the first to the last.
// It holds no connection in between, so that many callers who wait for a slow
// transaction leave the connections to others.
const (
	firstClaimPause = 25 * time.Millisecond
	lastClaimPause  = 400 * time.Millisecond
)

// AwaitClaim calls try until it does not fail with ErrClaimed, and gives up
// with ErrBusy after the limit. The other transaction either commits, so that
// its row is found, or frees the key.
func AwaitClaim(ctx context.Context, limit time.Duration, try func(ctx context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := try(bounded)
	for pause := firstClaimPause; errors.Is(err, ErrClaimed) && bounded.Err() == nil; pause = min(2*pause, lastClaimPause) {
		select {
		case <-bounded.Done():
		case <-time.After(pause):
			err = try(bounded)
		}
	}
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", fault.ErrBusy, err)
	}
	return err
}
