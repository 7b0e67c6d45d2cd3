package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gateway.example/internal/fault"
)

// ErrClaimed says that another transaction claims the same unique key and has not ended in the time that a lock is
// waited for.
var ErrClaimed = errors.New("another transaction is claiming the same key")

// A claim is tried again after a pause that doubles from the first to the last. In between it keeps no connection, so
// that many who wait for one slow transaction leave the others their connections.
const (
	firstClaimPause = 25 * time.Millisecond
	lastClaimPause  = 400 * time.Millisecond
)

// AwaitClaim tries until nothing but ErrClaimed is the error, and gives up with ErrBusy when the limit is over. The
// other transaction either commits, and then its row is found, or leaves the key free.
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
