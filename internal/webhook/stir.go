package webhook

import (
	"sync/atomic"
	"time"
)

const (
	// stirs is how long something is looked for often after this process has made or found some, and seldom how often
	// otherwise: other processes and crashes leave some, too. Questions to the database are most of what an idle process costs.
	stirs  = 2 * time.Second
	seldom = 250 * time.Millisecond
)

// began is what stirrings are counted from, since the wall clock may jump.
var began = time.Now()

// stirred is when something was last made or found.
type stirred struct{ at atomic.Int64 }

// written is stirred by events of this process, also by those whose transaction is not committed yet, and queued by
// deliveries.
var written, queued stirred

func (s *stirred) stir() { s.at.Store(int64(time.Since(began))) }

// due reports whether to look again.
func (s *stirred) due(looked time.Time) bool {
	return time.Since(began)-time.Duration(s.at.Load()) < stirs || time.Since(looked) >= seldom
}
