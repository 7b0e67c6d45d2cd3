package seal

import (
	"context"
	"time"
)

// SealAll seals without a turn, as two processes do whose turns overlap.
func (s *Sealer) SealAll(ctx context.Context) error { return s.sealAll(ctx) }

// WaitForWriters sets how long open transactions are waited for.
func (s *Sealer) WaitForWriters(long time.Duration) { s.writersLeave = long }
