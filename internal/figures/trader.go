package figures

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// tradersMost is how many payments of each trader are taken into account.
const tradersMost = 500

// TraderHealth is how well a trader worked on their newest payments of the last
// seven days.
type TraderHealth struct {
	// Completed are the paid payments, and Ended the paid, failed and
	// cancelled ones.
	Completed, Ended int64
	// Median is the median time that the trader took to confirm; zero if no
	// payment is completed.
	Median time.Duration
	// Requisites are all of the trader's requisites. Usable are those that
	// switches and daily limits allow to get payments now.
	Requisites, Usable int64
	// Days are the success percentages of each day; nil for a day on which
	// none ended.
	Days []*decimal.Decimal
}

// Success is the percentage of ended payments that were completed, with one
// decimal; nil if none has ended.
func (h TraderHealth) Success() *decimal.Decimal {
	return Figures{Completed: h.Completed, Ended: h.Ended}.Success()
}

// Traders tells operators how well traders work, by the traders' ids.
func (s *Service) Traders(
	ctx context.Context, who caller.Caller, ids []int64, zone *time.Location,
) (map[int64]TraderHealth, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	now := s.clock.Now()
	starts := TrendFilter{Days: 30, Zone: zone}.starts(now)[30-7:]
	health := map[int64]TraderHealth{}
	_, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]struct{}, error) {
		above, _, err := (db.Span{From: &starts[0]}).IDs(ctx, q, db.SubjectPayment, 0, 0)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			rows, err := q.ReportTrader(ctx, db.ReportTraderParams{
				TraderID: id, Starts: starts, Since: starts[0], Above: above, Most: tradersMost,
			})
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				health[id] = health[id].with(row, len(starts))
			}
		}
		counts, err := q.ReportTraderRequisites(ctx, db.ReportTraderRequisitesParams{Traders: ids, Now: now})
		for _, row := range counts {
			one := health[row.TraderID]
			one.Requisites, one.Usable = row.Requisites, row.Usable
			health[row.TraderID] = one
		}
		return nil, err
	})
	if err != nil {
		return nil, fmt.Errorf("read how traders work: %w", err)
	}
	return health, nil
}

func (h TraderHealth) with(row db.ReportTraderRow, days int) TraderHealth {
	if h.Days == nil {
		h.Days = make([]*decimal.Decimal, days)
	}
	if row.Slot > 0 {
		h.Days[row.Slot-1] = Figures{Completed: row.Completed, Ended: row.Ended}.Success()
		return h
	}
	h.Completed, h.Ended, h.Median = row.Completed, row.Ended, time.Duration(row.Seconds)*time.Second
	return h
}

// ProcessorHealth is how the card attempts at a processor ended, of a trader's
// newest payments of the last seven days.
type ProcessorHealth struct {
	// Attempts are all attempts, Approved and Declined the attempts that
	// ended so, and Failed those whose result is unknown or does not agree
	// with the payment.
	Attempts, Approved, Declined, Failed int64
	// Median and P95 are the median and the 95th percentile of the duration
	// of attempts that were approved or declined. The time that the payer
	// took to enter a code is not included. They are negative if no attempt
	// was timed.
	Median, P95 time.Duration
}

// Success is the percentage of approved attempts among those with an answer,
// with one decimal; nil if there are none.
func (h ProcessorHealth) Success() *decimal.Decimal {
	return Figures{Completed: h.Approved, Ended: h.Approved + h.Declined + h.Failed}.Success()
}

// Processors tells operators how a trader's processors work, by the processors'
// ids.
func (s *Service) Processors(
	ctx context.Context, who caller.Caller, traderID int64,
) (map[int64]ProcessorHealth, error) {
	if err := who.Admit(ctx, caller.OperatorRead); err != nil {
		return nil, err
	}
	since := s.clock.Now().Add(-week)
	rows, err := db.Look(ctx, s.reads, s.replica, func(q *db.Queries) ([]db.AttemptHealthRow, error) {
		above, _, err := (db.Span{From: &since}).IDs(ctx, q, db.SubjectPayment, 0, 0)
		if err != nil {
			return nil, err
		}
		return q.AttemptHealth(ctx, db.AttemptHealthParams{
			TraderID: traderID, Above: above, Most: tradersMost, Since: since,
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read how processors work: %w", err)
	}
	health := map[int64]ProcessorHealth{}
	for _, row := range rows {
		health[row.AcquirerID] = ProcessorHealth{
			row.Attempts, row.Approved, row.Declined, row.Failed,
			time.Duration(row.MedianMs) * time.Millisecond, time.Duration(row.P95Ms) * time.Millisecond,
		}
	}
	return health, nil
}
