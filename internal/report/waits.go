package report

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/optional"
	"gateway.example/internal/work"
)

// Queue is something that waits for somebody.
type Queue string

// The queues. A merchant's and a trader's are their own, an operator's are everybody's.
const (
	// QueueDeadEvents are webhooks that were given up.
	QueueDeadEvents Queue = "events.dead"
	// QueueFailing are the endpoints at which deliveries fail and are tried again.
	QueueFailing Queue = "endpoints.failing"
	// QueueOverdue are payouts that their trader did not end in time.
	QueueOverdue Queue = "payouts.overdue"

	// Of operators alone: deposits to be confirmed, appeals to be decided, card conflicts.
	QueueDeposits    Queue = "deposits.pending"
	QueueOpenAppeals Queue = "appeals.open"
	QueueConflicts   Queue = "conflicts.open"
	// QueueCases are the payments of which another amount came.
	QueueCases Queue = "cases.open"
	// QueueObjections are those of traders to payments that messages confirmed.
	QueueObjections Queue = "objections.open"
	// QueueProposals are proposals that wait for a second operator.
	QueueProposals Queue = "proposals.open"
	// QueueWithdrawals are withdrawals that wait for operators: for a decision, or because another transfer was seen.
	QueueWithdrawals Queue = "withdrawals.waiting"

	// Of merchants alone: their appeals and deposits that operators have not decided.
	QueueOwnAppeals  Queue = "appeals.waiting"
	QueueOwnDeposits Queue = "deposits.waiting"

	// Of traders alone: messages of banks that wait, and phones that fell silent; and appeals with messages that the trader has
	// not read.
	QueueMessages Queue = "messages.waiting"
	QueueUnread   Queue = "appeals.unread"
)

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

// countMost is how many of a queue are counted.
const countMost = 99

// QueueCount is how much waits in a queue, up to 99; More tells that there is more.
type QueueCount struct {
	Queue Queue
	Count int
	More  bool
}

// Text is a count as people read it, and nothing for none: "99+" where there are more than are counted.
func (c QueueCount) Text() string {
	switch {
	case c.Count == 0:
		return ""
	case c.More:
		return fmt.Sprintf("%d+", c.Count)
	}
	return fmt.Sprint(c.Count)
}

// Waits counts what waits for the caller. It takes a fraction of a second, or answers fault.ErrBusy. Callers who have no queues
// have an empty answer.
func (s *Service) Waits(ctx context.Context, who caller.Caller) (map[Queue]QueueCount, error) {
	queues := slices.Collect(maps.Keys(waiting[who.Kind]))
	if len(queues) == 0 {
		return nil, nil //nolint:nilnil // nothing waits for them
	}
	list, err := db.Glance(ctx, s.reads, func(q *db.Queries) ([]QueueCount, error) {
		return counts(ctx, q, who, s.clock.Now(), queues...)
	})
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	found := map[Queue]QueueCount{}
	for _, one := range list {
		found[one.Queue] = one
	}
	return found, nil
}

// counts are those of some queues in which something waits, as far as the caller may know of them.
func counts(ctx context.Context, q *db.Queries, who caller.Caller, now time.Time, queues ...Queue) ([]QueueCount, error) {
	var list []QueueCount
	for _, queue := range queues {
		needs, has := waiting[who.Kind][queue]
		if !has || !who.May(needs) {
			continue
		}
		n, err := count(ctx, q, who, now, queue)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			list = append(list, QueueCount{queue, int(min(n, countMost)), n > countMost})
		}
	}
	return list, nil
}

// count counts a queue, to one more than is told.
func count(ctx context.Context, q *db.Queries, who caller.Caller, now time.Time, queue Queue) (int64, error) {
	const most = countMost + 1
	merchant := optional.Of(who.MerchantID)
	switch queue {
	case QueueDeadEvents:
		return q.ReportCountDeadEvents(ctx, db.ReportCountDeadEventsParams{MerchantID: merchant, Most: most})
	case QueueFailing:
		return q.ReportCountFailing(ctx, db.ReportCountFailingParams{MerchantID: merchant, Most: most})
	case QueueOverdue:
		return q.ReportCountOverdue(ctx, db.ReportCountOverdueParams{
			MerchantID: merchant, TakenUntil: now.Add(-work.OverdueAfter), Now: now, Most: most,
		})
	case QueueDeposits:
		return q.ReportCountDeposits(ctx, most)
	case QueueOpenAppeals:
		return q.ReportCountAppeals(ctx, most)
	case QueueConflicts:
		return q.ReportCountConflicts(ctx, most)
	case QueueCases:
		return q.ReportCountCases(ctx, most)
	case QueueObjections:
		return q.ReportCountObjections(ctx, most)
	case QueueProposals:
		return q.ReportCountProposals(ctx, db.ReportCountProposalsParams{Now: now, Most: most})
	case QueueWithdrawals:
		return q.ReportCountWithdrawals(ctx, most)
	case QueueOwnAppeals:
		return q.ReportCountMerchantAppeals(ctx, db.ReportCountMerchantAppealsParams{MerchantID: who.MerchantID, Most: most})
	case QueueOwnDeposits:
		return q.ReportCountMerchantDeposits(ctx, db.ReportCountMerchantDepositsParams{MerchantID: who.MerchantID, Most: most})
	case QueueMessages:
		return q.ReportCountMessages(ctx, db.ReportCountMessagesParams{
			TraderID: who.TraderID, Since: now.Add(-db.PhoneSilent), Most: most,
		})
	case QueueUnread:
		return q.AppealUnreadOwn(ctx, db.AppealUnreadOwnParams{TraderID: who.TraderID, Most: most})
	}
	return 0, fault.ErrNotFound
}
