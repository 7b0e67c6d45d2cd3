package payment

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

var errOpenLimit = fault.New(fault.Forbidden, "merchant_collect_open_limit",
	"The merchant has as many unpaid payments as it may have open.")

const (
	// A merchant's pending payments are counted again once a process has
	// used this share of the places that were left, but not more often than
	// countApart and not less often than countEvery.
	countShare = 10
	countApart = 100 * time.Millisecond
	countEvery = 10 * time.Second
)

// openCounts limits the pending payments of each merchant. Counting for every
// creation would cost more the more there are, and a counter row would make all
// creations of a merchant wait for one another. So each process counts now and
// then, and adds its own creations in between. A merchant may exceed the limit
// by what other processes create between two counts: each at most a tenth of
// the places that were left, or what comes in a tenth of a second.
type openCounts struct {
	mu        sync.Mutex
	merchants map[int64]*openCount
}

type openCount struct {
	known bool
	// pending is the last count, plus the payments made here since, plus
	// those being made. made is how many were ever made here.
	pending, making, made int32
	// countedAt is when the last count began, in real time; countAt is how
	// many made payments trigger the next.
	countedAt time.Time
	countAt   int32
}

// due reports whether it is time to count again.
func (c *openCount) due(now time.Time) bool {
	since := now.Sub(c.countedAt)
	return !c.known || since >= countEvery || since >= countApart && c.made+c.making >= c.countAt
}

func newOpenCounts() *openCounts { return &openCounts{merchants: map[int64]*openCount{}} }

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

// take takes one of a merchant's places, or returns that there is none. If the
// last count leaves no place, or nothing was counted yet, it counts first,
// unless it is too early to count again.
//
//rule:how many payments of a merchant may be open
func (o *openCounts) take(ctx context.Context, q *db.Queries, merchantID int64, limit int32) (*place, error) {
	p := &place{counts: o, merchantID: merchantID, limit: limit}
	if p.take() {
		return p, nil
	}
	if p.due {
		if err := db.Run(ctx, q, p.count()...); err != nil {
			return nil, fmt.Errorf("count open payments: %w", err)
		}
		p.counted()
		if p.take() {
			return p, nil
		}
	}
	return nil, errOpenLimit
}

type place struct {
	counts     *openCounts
	merchantID int64
	limit      int32
	// due says that this creation has to count, and madeBefore is how many
	// payments had been made here when it began.
	due                 bool
	madeBefore, pending int32
}

// take takes a place by the last count, without a query, and returns false if
// that leaves none. It also sets due, by which this creation has to count;
// others then count only after countApart, unless nothing was ever counted.
func (p *place) take() (taken bool) {
	p.counts.with(p.merchantID, func(c *openCount) {
		now := time.Now()
		p.madeBefore = c.made
		if p.due = c.due(now); p.due {
			c.countedAt = now
		}
		if taken = c.known && c.pending < p.limit; taken {
			c.pending++
			c.making++
		}
	})
	return taken
}

// count is the query that counts again, if it is this creation's turn. It comes
// before the payment is inserted.
func (p *place) count() []db.Query {
	if !p.due {
		return nil
	}
	return []db.Query{db.Always(&p.pending, (*db.Queries).MerchantOpenPayments, db.MerchantOpenPaymentsParams{
		MerchantID: p.merchantID, Most: p.limit,
	})}
}

// counted applies the new count. The count may or may not include what was made
// here since it began. Until the next count such payments are counted twice
// rather than not at all, so that the limit is never exceeded by them.
func (p *place) counted() {
	p.counts.with(p.merchantID, func(c *openCount) {
		c.known, c.pending = true, p.pending+c.making+c.made-p.madeBefore
		c.countAt = c.made + c.making + (p.limit-c.pending)/countShare
	})
}

// end keeps the place if the payment was made, or frees it.
func (p *place) end(made bool) {
	if made && p.due {
		p.counted()
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
