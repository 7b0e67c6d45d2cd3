package history_test

import (
	"strings"
	"testing"
	"time"

	"gateway.example/internal/history"
	"gateway.example/internal/testenv"
)

// asked is a call that is about to be answered, in the words of the histories
// below: "create made", "move completed no" and so on; "?" is a call of which
// nobody knows what became.
func answered(word string) (history.Call, history.Answer) {
	f := strings.Fields(word)
	c, a := history.Call{What: f[0], Order: "1"}, history.Answer{ID: "7", Status: f[1]}
	switch f[len(f)-1] {
	case "?":
		a = history.Answer{Unknown: true}
	case "none":
		a = history.Answer{}
	case "new":
		a.Changed = true
	}
	if c.What == history.Move {
		c.To = f[1]
	}
	return c, a
}

// Histories that can be explained are right, and those that cannot are not: an
// acknowledged creation that is gone, a read that goes back, a second creation,
// a change that is told twice, an answer with another's id.
func TestOrders(t *testing.T) {
	t.Parallel()
	for calls, right := range map[string]bool{
		"create pending new, move completed new, read completed, move completed same": true,
		"create pending new, read none":                                               false,
		"create pending new, move completed new, read completed, read pending":        false,
		"create pending new, create pending new":                                      false,
		"create pending new, move completed new, move completed new":                  false,
		"create pending new, move completed same":                                     false,
		"create completed new":                                                        false,
		"create pending same":                                                         false,
		// Of what nobody knows, both is right until somebody sees it.
		"create ? ?, create pending same, read pending":                              true,
		"create ? ?, create pending new":                                             true,
		"create ? ?, read none, create pending same":                                 true,
		"create ? ?, create pending same, create pending new":                        false,
		"create ? ?, read pending, read none":                                        false,
		"create pending new, move failed ?, read pending, read failed":               true,
		"create pending new, move failed ?, read failed, read pending":               false,
		"create pending new, move failed ?, move completed new, move completed same": true,
		"create pending new, move failed ?, move failed same":                        true,
	} {
		o := history.NewOrders()
		for call := range strings.SplitSeq(calls, ", ") {
			c, a := answered(call)
			o.Begin(c)(a)
		}
		err := o.Check(time.Minute)
		testenv.Check(t, (err == nil) == right, "%s: %v", calls, err)
	}
}

// Calls at the same time have no order among them, and calls one after the
// other have.
func TestOverlapping(t *testing.T) {
	t.Parallel()
	for _, overlap := range []bool{true, false} {
		o := history.NewOrders()
		c, a := answered("create pending same")
		repeat := o.Begin(c)
		if !overlap {
			repeat(a)
		}
		c, made := answered("create pending new")
		o.Begin(c)(made)
		if overlap {
			repeat(a)
		}
		err := o.Check(time.Minute)
		testenv.Check(t, (err == nil) == overlap, "overlapping %t: %v", overlap, err)
		orders, calls, unknown := o.Counts()
		testenv.Check(t, orders == 1 && calls == 2 && unknown == 0, "%d orders, %d calls, %d unknown", orders, calls, unknown)
	}
}

// A log with a gap, a repeat or another order is wrong, and so is a reader who
// goes on and misses or repeats something.
func TestLogs(t *testing.T) {
	t.Parallel()
	event := func(id, order string, sequence int) history.Event {
		return history.Event{ID: id, Order: order, Sequence: sequence, Body: "{" + id + "}"}
	}
	a, b, c := event("a", "1", 1), event("b", "2", 1), event("c", "1", 2)
	log := []history.Event{a, b, c}
	testenv.NoError(t, history.CheckLog(log))
	for name, wrong := range map[string][]history.Event{
		"a gap": {b, c}, "a repeat": {a, b, a, c}, "another order": {c, a, b},
	} {
		testenv.Check(t, history.CheckLog(wrong) != nil, "%s is not seen", name)
	}
	testenv.NoError(t, history.CheckResumed(log, []history.Event{b, c}, 1))
	for name, wrong := range map[string][]history.Event{
		"one missed": {c}, "one repeated": {a, b, c}, "one in another place": {c, b}, "one that says another thing": {b, {ID: "c"}},
	} {
		testenv.Check(t, history.CheckResumed(log, wrong, 1) != nil, "%s is not seen", name)
	}
	again, err := history.CheckDeliveries(log, []history.Event{b, a, b}, 2)
	testenv.Check(t, again == 1 && err == nil, "%d again, %v", again, err)
	for name, wrong := range map[string][]history.Event{
		"a third time": {b, b, b}, "one of no log": {{ID: "d"}}, "one that says another thing": {{ID: "a", Order: "1", Sequence: 1}},
	} {
		_, err := history.CheckDeliveries(log, wrong, 2)
		testenv.Check(t, err != nil, "%s is not seen", name)
	}
}
