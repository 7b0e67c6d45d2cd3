package report

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
)

// Queue is something that waits for somebody.
type Queue string

// The queues. Those of payments and payouts are the caller's own, of operators everybody's.
const (
	QueuePending    Queue = "payments.pending"
	QueueAppeals    Queue = "payments.appeal"
	QueueWaiting    Queue = "payouts.waiting"
	QueueProcessing Queue = "payouts.processing"
	// QueueDeadEvents are webhooks that were given up: a merchant's own, or everybody's.
	QueueDeadEvents Queue = "events.dead"
	// Of operators alone: deposits to be confirmed, appeals to be decided, card conflicts.
	QueueDeposits    Queue = "deposits.pending"
	QueueOpenAppeals Queue = "appeals.open"
	QueueConflicts   Queue = "conflicts.open"
	// QueueCases are the payments of which another amount came.
	QueueCases Queue = "cases.open"
	// QueueObjections are those of traders to payments that messages confirmed.
	QueueObjections Queue = "objections.open"
	// QueueMessages are a trader's messages of banks that wait, and phones that fell silent.
	QueueMessages Queue = "messages.waiting"
)

// countMost is how many of a queue are counted.
const countMost = 99

// Count counts what waits in a queue, up to 99; more tells that there are more.
func (s *Service) Count(ctx context.Context, who caller.Caller, queue Queue) (n int, more bool, err error) {
	if err := mayCount(who, queue); err != nil {
		return 0, false, err
	}
	if err := fault.Decoded(ctx).Err(); err != nil {
		return 0, false, err
	}
	counts, err := db.List(ctx, s.reads, func(q *db.Queries) ([]int64, error) {
		counted, err := count(ctx, q, scopeOf(who, Filter{}), queue)
		return []int64{counted}, err
	})
	if err != nil {
		return 0, false, fmt.Errorf("count %s: %w", queue, err)
	}
	return int(min(counts[0], countMost)), counts[0] > countMost, nil
}

func mayCount(who caller.Caller, queue Queue) error {
	switch queue { //nolint:exhaustive // the overview counts its own
	case QueuePending, QueueAppeals, QueueWaiting, QueueProcessing:
		return who.Need(caller.TraderRead, caller.MerchantRead, caller.OperatorRead)
	case QueueDeadEvents:
		return who.Need(caller.MerchantEvents, caller.OperatorRead)
	case QueueDeposits, QueueOpenAppeals, QueueConflicts, QueueCases, QueueObjections:
		return who.Need(caller.OperatorRead)
	}
	return fault.ErrNotFound
}

func count(ctx context.Context, q *db.Queries, c scope, queue Queue) (int64, error) {
	payments := func(status string) (int64, error) {
		return q.ReportCountPayments(ctx, db.ReportCountPaymentsParams{
			Status: status, MerchantID: unless(c.MerchantID), TraderID: unless(c.TraderID), Most: countMost + 1,
		})
	}
	payouts := func(status string) (int64, error) {
		return q.ReportCountPayins(ctx, db.ReportCountPayinsParams{
			Status: status, MerchantID: unless(c.MerchantID), TraderID: unless(c.TraderID), Most: countMost + 1,
		})
	}
	switch queue { //nolint:exhaustive // the overview counts its own
	case QueuePending:
		return payments("pending")
	case QueueAppeals:
		return payments("appeal")
	case QueueWaiting:
		return payouts("waiting")
	case QueueProcessing:
		return payouts("processing")
	case QueueDeadEvents:
		return q.ReportCountDeadEvents(ctx, db.ReportCountDeadEventsParams{
			MerchantID: unless(c.MerchantID), Most: countMost + 1,
		})
	case QueueDeposits:
		return q.ReportCountDeposits(ctx, countMost+1)
	case QueueOpenAppeals:
		return q.ReportCountAppeals(ctx, countMost+1)
	case QueueCases:
		return q.ReportCountCases(ctx, countMost+1)
	case QueueObjections:
		return q.ReportCountObjections(ctx, countMost+1)
	case QueueConflicts:
		return q.ReportCountConflicts(ctx, countMost+1)
	}
	return 0, fault.ErrNotFound
}
