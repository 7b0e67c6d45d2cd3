package payment

import (
	"context"
	"sync"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
)

var errOpenLimit = fault.New(fault.Forbidden, "merchant_collect_open_limit",
	"The merchant has as many unpaid payments as it may have open.")

const (
	// A merchant's pending payments are counted anew this often, and more often when no more than openNear are left.
	countEvery     = time.Second
	countNearEvery = 100 * time.Millisecond
	openNear       = 1_000
)

// openCounts holds merchants to the number of payments they may have pending. Counting at every creation would cost the more
// the more there are, and a row that every creation counts in would make them wait for one another. So each process counts
// now and then, and adds what it makes itself in between. A merchant may go beyond by what other replicas make of it between
// two counts, which is at most a tenth of a second once it comes near.
type openCounts struct {
	mu        sync.Mutex
	merchants map[int64]*openCount
}

type openCount struct {
	known bool
	limit int32
	// pending are those last counted, those made here since, and those in the making. made is how many were made here ever.
	pending, making, made int32
	// due is when to count again, in real time.
	due time.Time
}

func newOpenCounts() *openCounts { return &openCounts{merchants: map[int64]*openCount{}} }

// with runs fn on a merchant's count.
func (o *openCounts) with(merchantID int64, fn func(*openCount)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.merchants[merchantID]
	if c == nil {
		c = &openCount{}
		o.merchants[merchantID] = c
	}
	fn(c)
}

// count is the query that counts anew, if it is time to. Only one creation at a time makes it.
func (o *openCounts) count(ctx context.Context, merchantID int64) []db.Query {
	due, made := false, int32(0)
	o.with(merchantID, func(c *openCount) {
		now := time.Now()
		made = c.made
		if due = !c.known || !now.Before(c.due); due {
			c.due = now.Add(countEvery)
		}
	})
	if !due {
		return nil
	}
	return []db.Query{func(q *db.Queries) error {
		row, err := q.MerchantOpenPayments(ctx, merchantID)
		if err == nil {
			o.with(merchantID, func(c *openCount) { c.counted(row, made) })
		}
		return err
	}}
}

// counted takes in a count that began when so many had been made here. What was made since may be in it or not: until the next
// count it rather counts twice than not at all.
func (c *openCount) counted(row db.MerchantOpenPaymentsRow, made int32) {
	c.known, c.limit, c.pending = true, row.MaxOpenPayments, row.OpenPayments+c.making+c.made-made
	every := countEvery
	if c.limit-c.pending <= openNear {
		every = countNearEvery
	}
	c.due = time.Now().Add(every)
}

// place is one creation's place among a merchant's open payments.
type place struct {
	counts     *openCounts
	merchantID int64
	taken      bool
}

// take reports whether there is a place. Taking it again, as a transaction does that is run again, changes nothing.
func (p *place) take() bool {
	p.counts.with(p.merchantID, func(c *openCount) {
		if p.taken || c.pending >= c.limit {
			return
		}
		p.taken = true
		c.pending++
		c.making++
	})
	return p.taken
}

// end keeps the place for the payment that was made, or gives it up.
func (p *place) end(made bool) {
	if !p.taken {
		return
	}
	p.counts.with(p.merchantID, func(c *openCount) {
		c.making--
		if made {
			c.made++
		} else {
			c.pending--
		}
	})
}
