package chain

import "time"

// Later has the watcher believe that it has waited for so long.
func (w *Watcher) Later(waited time.Duration) {
	w.movedAt, w.resting = w.movedAt.Add(-waited), w.resting.Add(-waited)
}
