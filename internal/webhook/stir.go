package webhook

import (
	"sync/atomic"
	"time"
)

const (
	// For as long as stirs after this process has made or found something
	// it looks often. Otherwise it looks each time that seldom has passed,
	// for what other processes and crashes leave: an idle process costs
	// little else than its questions to the database.
	stirs  = 2 * time.Second
	seldom = 250 * time.Millisecond
)

// began is what stirrings are counted from, since the wall clock may jump.
var began = time.Now()

// stirred is when something was last made or found.
type stirred struct{ at atomic.Int64 }

// written is stirred by events of this process, also by those whose transaction
// is not committed yet, and queued by deliveries.
var written, queued stirred

func (s *stirred) stir() { s.at.Store(int64(time.Since(began))) }

// due reports whether to look again.
func (s *stirred) due(looked time.Time) bool {
	return time.Since(began)-time.Duration(s.at.Load()) < stirs || time.Since(looked) >= seldom
}
