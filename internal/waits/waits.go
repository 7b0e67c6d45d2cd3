// Package waits counts what waits for each kind of user, for the navigation of
// every page and for a merchant's overview.
package waits

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/notify"
	"gateway.example/internal/optional"
	"gateway.example/internal/work"
)

// Queue is something that waits for somebody.
type Queue string

// The queues. Merchants and traders count their own, operators count those of
// everybody.
const (
	// DeadEvents are webhook events that are no longer retried.
	DeadEvents Queue = "events.dead"
	// Failing are the endpoints to which deliveries fail and are retried.
	Failing Queue = "endpoints.failing"
	// Overdue are payouts that their trader did not finish in time.
	Overdue Queue = "payouts.overdue"

	// For operators only: deposits to be confirmed, appeals to be decided,
	// card conflicts.
	Deposits    Queue = "deposits.pending"
	OpenAppeals Queue = "appeals.open"
	Conflicts   Queue = "conflicts.open"
	// Cases are payments for which an amount other than the one asked for
	// was received.
	Cases Queue = "cases.open"
	// Objections are objections of traders to payments that bank messages
	// confirmed.
	Objections Queue = "objections.open"
	// Proposals are proposals that wait for a second operator.
	Proposals Queue = "proposals.open"
	// Withdrawals are withdrawals that wait for operators: for a decision,
	// or because another transfer was seen.
	Withdrawals Queue = "withdrawals.waiting"

	// For merchants only: their appeals and deposits that operators have
	// not decided yet.
	OwnAppeals  Queue = "appeals.waiting"
	OwnDeposits Queue = "deposits.waiting"

	// For traders only: bank messages that wait, phones that stopped
	// reporting, and appeals with messages that the trader has not read.
	Messages Queue = "messages.waiting"
	Unread   Queue = "appeals.unread"
)

// waiting are the queues shown on every page of a portal, with the capability
// that a caller needs to know each.
var waiting = map[caller.Kind]map[Queue]caller.Capability{
	caller.Operator: {
		Deposits: caller.OperatorRead, OpenAppeals: caller.OperatorRead, Overdue: caller.OperatorRead,
		Conflicts: caller.OperatorRead, DeadEvents: caller.OperatorRead, Proposals: caller.OperatorRead,
		Failing: caller.OperatorRead, Withdrawals: caller.OperatorRead, Cases: caller.OperatorRead,
		Objections: caller.OperatorRead,
	},
	caller.MerchantPortal: {
		OwnDeposits: caller.MerchantMoney, OwnAppeals: caller.MerchantRead,
		Overdue: caller.MerchantRead, DeadEvents: caller.MerchantEvents, Failing: caller.MerchantEvents,
	},
	caller.Trader: {Messages: caller.TraderRead, Unread: caller.TraderRead},
}

// countMost is where counting a queue stops.
const countMost = 99

// Count is how much waits in a queue, up to 99; More tells that there is more.
type Count struct {
	Queue Queue
	Count int
	More  bool
}

// Text is a count as people read it: "" for none, and "99+" if there are more
// than are counted.
func (c Count) Text() string {
	switch {
	case c.Count == 0:
		return ""
	case c.More:
		return fmt.Sprintf("%d+", c.Count)
	}
	return fmt.Sprint(c.Count)
}

type Service struct {
	reads db.Pool
	clock clock.Clock
}

func New(pools db.Pools, c clock.Clock) *Service { return &Service{reads: pools.Reads, clock: c} }

// For counts what waits for the caller. It takes a fraction of a second, or
// answers fault.ErrBusy. Callers who have no queues have an empty answer.
func (s *Service) For(ctx context.Context, who caller.Caller) (map[Queue]Count, error) {
	queues := slices.Collect(maps.Keys(waiting[who.Kind]))
	if len(queues) == 0 {
		return nil, nil //nolint:nilnil // nothing waits for them
	}
	list, err := db.Glance(ctx, s.reads, func(q *db.Queries) ([]Count, error) {
		return In(ctx, q, who, s.clock.Now(), queues...)
	})
	if err != nil {
		return nil, fmt.Errorf("count what waits: %w", err)
	}
	found := map[Queue]Count{}
	for _, one := range list {
		found[one.Queue] = one
	}
	return found, nil
}

// In counts some queues and returns those in which something waits. Queues that
// the caller may not know are left out.
func In(ctx context.Context, q *db.Queries, who caller.Caller, now time.Time, queues ...Queue) ([]Count, error) {
	var list []Count
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
			list = append(list, Count{queue, int(min(n, countMost)), n > countMost})
		}
	}
	return list, nil
}

// count counts a queue, to one more than is shown.
func count(ctx context.Context, q *db.Queries, who caller.Caller, now time.Time, queue Queue) (int64, error) {
	const most = countMost + 1
	merchant := optional.Of(who.MerchantID)
	switch queue {
	case DeadEvents:
		return q.ReportCountDeadEvents(ctx, db.ReportCountDeadEventsParams{MerchantID: merchant, Most: most})
	case Failing:
		return q.ReportCountFailing(ctx, db.ReportCountFailingParams{MerchantID: merchant, Most: most})
	case Overdue:
		return q.ReportCountOverdue(ctx, db.ReportCountOverdueParams{
			MerchantID: merchant, TakenUntil: now.Add(-work.OverdueAfter), Now: now, Most: most,
		})
	case Deposits:
		return q.ReportCountDeposits(ctx, most)
	case OpenAppeals:
		return q.ReportCountAppeals(ctx, most)
	case Conflicts:
		return q.ReportCountConflicts(ctx, most)
	case Cases:
		return q.ReportCountCases(ctx, most)
	case Objections:
		return q.ReportCountObjections(ctx, most)
	case Proposals:
		return q.ReportCountProposals(ctx, db.ReportCountProposalsParams{Now: now, Most: most})
	case Withdrawals:
		return q.ReportCountWithdrawals(ctx, most)
	case OwnAppeals:
		return q.ReportCountMerchantAppeals(ctx, db.ReportCountMerchantAppealsParams{MerchantID: who.MerchantID, Most: most})
	case OwnDeposits:
		return q.ReportCountMerchantDeposits(ctx, db.ReportCountMerchantDepositsParams{MerchantID: who.MerchantID, Most: most})
	case Messages:
		return q.ReportCountMessages(ctx, db.ReportCountMessagesParams{
			TraderID: who.TraderID, Since: now.Add(-notify.PhoneSilent), Most: most,
		})
	case Unread:
		return q.AppealUnreadOwn(ctx, db.AppealUnreadOwnParams{TraderID: who.TraderID, Most: most})
	}
	return 0, fault.ErrNotFound
}
