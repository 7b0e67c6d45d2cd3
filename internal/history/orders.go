package history

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// What is asked of an order.
const (
	Create = "create"
	Move   = "move"
	Read   = "read"
)

// Call is what a client asks of an order. To is where it is moved.
type Call struct{ What, Order, To string }

// Answer is what a client was answered.
type Answer struct {
	// Unknown says that the client does not know whether the call happened,
	// or happens yet.
	Unknown bool
	// ID and Status are the order's.
	ID, Status string
	// Changed says that the call created the order, or changed its status.
	Changed bool
}

// Orders records the calls of clients about orders.
type Orders struct {
	mu    sync.Mutex
	calls map[string][]porcupine.Operation
	began time.Time
}

// NewOrders is a recorder without calls.
func NewOrders() *Orders {
	return &Orders{calls: map[string][]porcupine.Operation{}, began: time.Now()}
}

// Begin notes that a call begins. Its end is told once, unless the call was
// refused: that is to have done nothing.
func (o *Orders) Begin(c Call) (end func(Answer)) {
	asked := time.Since(o.began)
	return func(a Answer) {
		op := porcupine.Operation{Input: c, Call: int64(asked), Output: a, Return: int64(time.Since(o.began))}
		if a.Unknown { // it may happen at any later time
			op.Return = math.MaxInt64
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		o.calls[c.Order] = append(o.calls[c.Order], op)
	}
}

// Counts are how many orders were asked about, by how many calls, and of how
// many of these nobody knows what became.
func (o *Orders) Counts() (orders, calls, unknown int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, list := range o.calls {
		calls += len(list)
		for _, op := range list {
			if a, _ := op.Output.(Answer); a.Unknown {
				unknown++
			}
		}
	}
	return len(o.calls), calls, unknown
}

// Check reports the first order whose answers no sequence of its calls
// explains. Orders are independent of one another, so that each is checked by
// itself.
func (o *Orders) Check(within time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, order := range slices.Sorted(maps.Keys(o.calls)) {
		if found := porcupine.CheckOperationsTimeout(model, o.calls[order], within); found != porcupine.Ok {
			return fmt.Errorf("order %s: %s: %s", order, found, told(o.calls[order]))
		}
	}
	return nil
}

// told writes a history for people.
func told(calls []porcupine.Operation) string {
	var lines []string
	for _, op := range calls {
		until := "?"
		if op.Return < math.MaxInt64 {
			until = time.Duration(op.Return).String()
		}
		lines = append(lines, fmt.Sprintf("%s to %s %+v: %+v", time.Duration(op.Call), until, op.Input, op.Output))
	}
	return strings.Join(lines, "\n")
}

// state is an order as the contract has it: a register. The zero state is none.
// An order made by a call whose answer is unknown has an id that nobody has
// been told yet.
type state struct{ id, status string }

var model = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{state{}} },
	Step: func(from, input, output any) []any {
		was, _ := from.(state)
		asked, _ := input.(Call)
		answer, _ := output.(Answer)
		return next(was, asked, answer)
	},
}).ToModel()

// pending is how every order begins.
const pending = "pending"

// next is every state that may follow on a call that was answered so; none is a
// wrong answer.
func next(from state, c Call, a Answer) []any {
	if a.Unknown {
		switch {
		case c.What == Create && from == state{}:
			return []any{from, state{status: pending}}
		case c.What == Move && from != state{}:
			return []any{from, state{from.id, c.To}}
		}
		return []any{from}
	}
	if c.What == Read && (a == Answer{}) { // there is none
		return only(from == state{}, from)
	}
	if c.What == Create && a.Changed {
		return only(from == state{} && a.Status == pending, state{a.ID, a.Status})
	}
	known := from != state{} && (from.id == "" || from.id == a.ID)
	if c.What == Move {
		return only(known && a.Status == c.To && a.Changed == (from.status != c.To), state{a.ID, c.To})
	}
	return only(known && a.Status == from.status, state{a.ID, from.status})
}

func only(right bool, s state) []any {
	if right {
		return []any{s}
	}
	return nil
}
