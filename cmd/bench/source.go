package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/ledger"
)

// source is where a replayed statement gets an argument from.
type source func(*replay) any

// replay is one creation being replayed.
type replay struct {
	// like is the recorded creation whose values stand in for what nothing else explains, such as
	// the USDT a payment is worth.
	like    int
	orderID string
	amount  decimal.Decimal
	// id is the payment's where the gateway, and no sequence of the database's, gives it.
	id  int64
	now time.Time
	// rows are those answered so far, by round and call.
	rows [][][]any
}

// source explains an argument by what it was in every recorded creation: always the same, what the
// caller sent, what an earlier statement answered, an account of a trader so answered, a time, a
// number counted up, or a fresh id.
func (c *compiler) source(values []any) source {
	if alike(values, func(int) any { return values[0] }) {
		return func(*replay) any { return values[0] }
	}
	if alike(values, func(i int) any { return c.creations[i].orderID }) {
		return func(r *replay) any { return r.orderID }
	}
	if alike(values, func(i int) any { return decimal.RequireFromString(c.creations[i].amount) }) {
		return func(r *replay) any { return r.amount }
	}
	if s := c.fromResult(values); s != nil {
		return s
	}
	if c.counted(values) {
		return func(r *replay) any { return r.id }
	}
	switch values[0].(type) {
	case []any:
		return c.fromElements(values)
	case time.Time:
		return c.fromTime(values)
	case [16]byte:
		return func(*replay) any { return [16]byte(uuid.Must(uuid.NewV7())) }
	}
	return func(r *replay) any { return values[r.like] }
}

// counted takes the first number that rises from each creation to the next for the payment's id.
func (c *compiler) counted(values []any) bool {
	if c.ids != nil {
		return alike(values, func(i int) any { return c.ids[i] })
	}
	last := int64(math.MinInt64)
	for _, value := range values {
		n, ok := whole(value)
		if !ok || n <= last {
			return false
		}
		last = n
	}
	c.ids = values
	return true
}

func alike(values []any, want func(i int) any) bool {
	for i, value := range values {
		if !equal(value, want(i)) {
			return false
		}
	}
	return true
}

// equal compares values of the database: numbers by what they are worth, whatever their width.
func equal(a, b any) bool {
	if x, ok := a.(decimal.Decimal); ok {
		y, ok := b.(decimal.Decimal)
		return ok && x.Equal(y)
	}
	if x, ok := whole(a); ok {
		y, ok := whole(b)
		return ok && x == y
	}
	return reflect.DeepEqual(a, b)
}

func whole(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int32:
		return int64(n), true
	case int16:
		return int64(n), true
	}
	return 0, false
}

// derivations of an argument from a column: the column itself, and the accounts of the trader it
// names.
var derivations = []func(any) any{
	func(v any) any { return v },
	func(v any) any { return account(v, ledger.Available) },
	func(v any) any { return account(v, ledger.Reserved) },
}

func account(v any, of func(ledger.Owner, int64) ledger.Account) any {
	id, ok := whole(v)
	if !ok {
		return nil
	}
	return of(ledger.Trader, id).ID()
}

// fromResult looks for a column of an earlier round's answers, or nil.
func (c *compiler) fromResult(values []any) source {
	for i, calls := range c.results[:len(c.results)-1] {
		for j, rows := range calls {
			if len(rows) == 0 {
				continue
			}
			for k := range rows[0] {
				for _, derive := range derivations {
					if alike(values, func(n int) any { return derive(column(rows[n], k)) }) {
						c.needed[[2]int{i, j}] = true
						return func(r *replay) any { return derive(column(r.rows[i][j], k)) }
					}
				}
			}
		}
	}
	return nil
}

func column(row []any, k int) any {
	if k >= len(row) {
		return nil
	}
	return row[k]
}

// fromElements explains an array element by element.
func (c *compiler) fromElements(values []any) source {
	length := len(values[0].([]any)) //nolint:forcetypeassert // the caller has looked
	var elements []source
	for k := range length {
		var at []any
		for _, value := range values {
			list, ok := value.([]any)
			if !ok || len(list) != length {
				return func(r *replay) any { return values[r.like] }
			}
			at = append(at, list[k])
		}
		elements = append(elements, c.source(at))
	}
	return func(r *replay) any {
		list := make([]any, len(elements))
		for k, element := range elements {
			list[k] = element(r)
		}
		return list
	}
}

// fromTime takes the first time that varies for the creation's own, and others by their distance
// from it.
func (c *compiler) fromTime(values []any) source {
	if c.times == nil {
		c.times = values
	}
	first, _ := values[0].(time.Time)
	base, _ := c.times[0].(time.Time)
	distance := first.Sub(base)
	for i, value := range values {
		at, _ := value.(time.Time)
		base, _ := c.times[i].(time.Time)
		if at.Sub(base) != distance {
			return func(r *replay) any { return values[r.like] }
		}
	}
	return func(r *replay) any { return r.now.Add(distance) }
}

// replayedIDs lie beyond those that the gateway comes to.
const replayedIDs = 1 << 40

// fresh begins the replay of a creation with values of its own.
func (b *bench) fresh(alike int, rounds int) *replay {
	n := b.scene.next.Add(1)
	return &replay{
		like: rand.IntN(alike), orderID: orderID(n), amount: decimal.RequireFromString(amount()), id: replayedIDs + n,
		now: time.Now().UTC(), rows: make([][][]any, rounds),
	}
}
