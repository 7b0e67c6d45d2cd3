package report

import (
	"context"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
)

// QueueProposals are proposals that wait for a second operator.
const QueueProposals Queue = "proposals.open"

// QueueWithdrawals are withdrawals that wait for operators: for a decision, or because another transfer was seen.
const QueueWithdrawals Queue = "withdrawals.waiting"

// QueueFailing are the endpoints at which deliveries fail and are tried again: a merchant's own, or everybody's.
const QueueFailing Queue = "endpoints.failing"

// QueueUnread are the appeals with messages that a trader has not read.
const QueueUnread Queue = "appeals.unread"

// waiting are the queues that every page of a portal tells of, and what it takes to know of them.
var waiting = map[caller.Kind]map[Queue]caller.Capability{
	caller.Operator: {
		QueueDeposits: caller.OperatorRead, QueueOpenAppeals: caller.OperatorRead, QueueOverdue: caller.OperatorRead,
		QueueConflicts: caller.OperatorRead, QueueDeadEvents: caller.OperatorRead, QueueProposals: caller.OperatorRead,
		QueueFailing: caller.OperatorRead, QueueWithdrawals: caller.OperatorRead, QueueCases: caller.OperatorRead,
		QueueObjections: caller.OperatorRead,
	},
	caller.MerchantPortal: {
		QueueOwnDeposits: caller.MerchantMoney, QueueOwnAppeals: caller.MerchantRead,
		QueueOverdue: caller.MerchantRead, QueueDeadEvents: caller.MerchantEvents, QueueFailing: caller.MerchantEvents,
	},
	caller.Trader: {QueueMessages: caller.TraderRead, QueueUnread: caller.TraderRead},
}

// Waits counts what waits for the caller, each queue up to 99 and one more where there are more. It takes a fraction of a
// second, or answers fault.ErrBusy. Callers who have no queues have an empty answer.
func (s *Service) Waits(ctx context.Context, who caller.Caller) (map[Queue]int, error) {
	queues := waiting[who.Kind]
	if len(queues) == 0 {
		return nil, nil //nolint:nilnil // nothing waits for them
	}
	var counts map[Queue]int
	_, err := db.Glance(ctx, s.reads, func(q *db.Queries) ([]struct{}, error) {
		counts = map[Queue]int{}
		for queue, needs := range queues {
			if !who.May(needs) {
				continue
			}
			n, err := s.countWaiting(ctx, q, scopeOf(who, Filter{}), queue)
			if err != nil {
				return nil, err
			}
			counts[queue] = int(n)
		}
		return nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	return counts, nil
}

func (s *Service) countWaiting(ctx context.Context, q *db.Queries, c scope, queue Queue) (int64, error) {
	now := s.clock.Now()
	switch queue { //nolint:exhaustive // the others are counted by count
	case QueueOwnAppeals:
		return q.ReportCountMerchantAppeals(ctx, db.ReportCountMerchantAppealsParams{MerchantID: c.MerchantID, Most: countMost + 1})
	case QueueOwnDeposits:
		return q.ReportCountMerchantDeposits(ctx, db.ReportCountMerchantDepositsParams{MerchantID: c.MerchantID, Most: countMost + 1})
	case QueueOverdue:
		return q.ReportCountOverdue(ctx, db.ReportCountOverdueParams{
			MerchantID: unless(c.MerchantID), TakenUntil: now.Add(-overdueAfter), Now: now, Most: countMost + 1,
		})
	case QueueFailing:
		return q.ReportCountFailing(ctx, db.ReportCountFailingParams{MerchantID: unless(c.MerchantID), Most: countMost + 1})
	case QueueMessages:
		return q.ReportCountMessages(ctx, db.ReportCountMessagesParams{
			TraderID: c.TraderID, Since: now.Add(-db.PhoneSilent), Most: countMost + 1,
		})
	case QueueUnread:
		return q.AppealUnreadOwn(ctx, db.AppealUnreadOwnParams{TraderID: c.TraderID, Most: countMost + 1})
	case QueueWithdrawals:
		return q.ReportCountWithdrawals(ctx, countMost+1)
	case QueueProposals:
		return q.ReportCountProposals(ctx, db.ReportCountProposalsParams{Now: now, Most: countMost + 1})
	}
	return count(ctx, q, c, queue)
}

// CountText is a count as people read it, and nothing for none: "99+" where there are more than are counted.
func CountText(n int) string {
	switch {
	case n == 0:
		return ""
	case n > countMost:
		return fmt.Sprintf("%d+", countMost)
	}
	return fmt.Sprint(n)
}
