package history

import "fmt"

// Event is an entry of a log of events: which of its order's it is, and what it
// says.
type Event struct {
	ID, Order string
	Sequence  int
	Body      string
}

// CheckLog wants each event once, and those of an order numbered on from 1 in
// their order.
func CheckLog(log []Event) error {
	seen, last := map[string]bool{}, map[string]int{}
	for i, e := range log {
		if seen[e.ID] {
			return fmt.Errorf("entry %d: event %s is there already", i, e.ID)
		}
		if seen[e.ID] = true; e.Sequence != last[e.Order]+1 {
			return fmt.Errorf("entry %d: event %d of order %s comes after %d", i, e.Sequence, e.Order, last[e.Order])
		}
		last[e.Order] = e.Sequence
	}
	return nil
}

// CheckResumed wants what was read from a cursor on to be what the whole log
// has after it.
func CheckResumed(log, rest []Event, after int) error {
	if len(log)-after != len(rest) {
		return fmt.Errorf("%d events come after %d of %d", len(rest), after, len(log))
	}
	for i, e := range rest {
		if log[after+i] != e {
			return fmt.Errorf("%d after %d: %+v, not %+v", i, after, e, log[after+i])
		}
	}
	return nil
}

// CheckDeliveries wants what came to an endpoint to be in the log as it came,
// none of it more than so many times, and counts what came again.
func CheckDeliveries(log, came []Event, most int) (again int, err error) {
	known, times := map[string]Event{}, map[string]int{}
	for _, e := range log {
		known[e.ID] = e
	}
	for _, e := range came {
		if known[e.ID] != e {
			return again, fmt.Errorf("%+v came, the log has %+v", e, known[e.ID])
		}
		if times[e.ID]++; times[e.ID] > 1 {
			again++
		}
		if times[e.ID] > most {
			return again, fmt.Errorf("event %s came %d times", e.ID, times[e.ID])
		}
	}
	return again, nil
}
