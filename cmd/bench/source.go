package main

import (
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
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
}

// source explains an argument by what it was in every recorded creation: always the same, what the
// caller sent, a time, a number counted up, or a fresh id. What a creation reads is not recorded,
// and so does not explain what it writes.
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
	if c.counted(values) {
		return func(r *replay) any { return r.id }
	}
	switch values[0].(type) {
	case []int64, []decimal.Decimal, []string:
		return c.fromElements(values)
	case time.Time:
		return c.fromTime(values)
	case uuid.UUID:
		return func(*replay) any { return uuid.Must(uuid.NewV7()) }
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

// equal compares arguments: numbers by what they are worth, whatever their width.
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

// fromElements explains an array element by element.
func (c *compiler) fromElements(values []any) source {
	first := reflect.ValueOf(values[0])
	for _, value := range values {
		if list := reflect.ValueOf(value); list.Type() != first.Type() || list.Len() != first.Len() {
			return func(r *replay) any { return values[r.like] }
		}
	}
	var elements []source
	for k := range first.Len() {
		var at []any
		for _, value := range values {
			at = append(at, reflect.ValueOf(value).Index(k).Interface())
		}
		elements = append(elements, c.source(at))
	}
	return func(r *replay) any {
		list := reflect.MakeSlice(first.Type(), len(elements), len(elements))
		for k, element := range elements {
			list.Index(k).Set(reflect.ValueOf(element(r)))
		}
		return list.Interface()
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
func (b *bench) fresh(alike int) *replay {
	n := b.scene.next.Add(1)
	return &replay{
		like: rand.IntN(alike), orderID: orderID(n), amount: decimal.RequireFromString(amount()), id: replayedIDs + n,
		now: time.Now().UTC(),
	}
}
