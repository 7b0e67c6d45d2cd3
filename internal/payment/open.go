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
	// A merchant's pending payments are counted anew once a process has used up this share of the
	// places that the last count left, but no more often than countApart and no more seldom than
	// countEvery.
	countShare = 10
	countApart = 100 * time.Millisecond
	countEvery = 10 * time.Second
)

// openCounts holds merchants to the number of payments they may have pending. Counting at every
// creation would cost the more the more there are, and a row that every creation counts in would
// make them wait for one another. So each process counts now and then, and adds what it makes
// itself in between. A merchant may go beyond by what other replicas make of it between two counts:
// each a tenth of the places that were left to it, or what comes in a tenth of a second.
type openCounts struct {
	mu        sync.Mutex
	merchants map[int64]*openCount
}

type openCount struct {
	known bool
	// pending are those last counted, those made here since, and those in the making. made is how
	// many were made here ever.
	pending, making, made int32
	// countedAt is when the last count began, in real time; countAt is how many made call for
	// another.
	countedAt time.Time
	countAt   int32
}

// due tells whether it is time to count again.
func (c *openCount) due(now time.Time) bool {
	since := now.Sub(c.countedAt)
	return !c.known || since >= countEvery || since >= countApart && c.made+c.making >= c.countAt
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

// take takes a place among a merchant's open payments, or says that there is none. Where the last
// count leaves none, or there was none yet, it counts first.
func (o *openCounts) take(ctx context.Context, q *db.Queries, merchantID int64, limit int32) (*place, error) {
	p := &place{counts: o, merchantID: merchantID, limit: limit}
	if p.take() {
		return p, nil
	}
	if p.due {
		for _, query := range p.count() {
			if err := query.Run(ctx, q); err != nil {
				return nil, fmt.Errorf("count open payments: %w", err)
			}
		}
		p.counted()
		if p.take() {
			return p, nil
		}
	}
	return nil, errOpenLimit
}

// place is one creation's place among a merchant's open payments.
type place struct {
	counts     *openCounts
	merchantID int64
	limit      int32
	// due tells that this creation is the one to count anew, and madeBefore how many had been made
	// here when it began to.
	due                 bool
	madeBefore, pending int32
}

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

// count is the query that counts anew, if it is this creation's turn. It comes before the payment
// is written.
func (p *place) count() []db.Query {
	if !p.due {
		return nil
	}
	return []db.Query{db.Sure(&p.pending, (*db.Queries).MerchantOpenPayments, db.MerchantOpenPaymentsParams{
		MerchantID: p.merchantID, Most: p.limit,
	})}
}

// counted takes the count in. What was made here since it began may be in it or not: until the next
// one it is rather counted twice than not at all.
func (p *place) counted() {
	p.counts.with(p.merchantID, func(c *openCount) {
		c.known, c.pending = true, p.pending+c.making+c.made-p.madeBefore
		c.countAt = c.made + c.making + (p.limit-c.pending)/countShare
	})
}

// end keeps the place for the payment that was made, or gives it up.
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
