package work

import (
	"context"
	"fmt"
	"time"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// usdt is the currency of deposits and accounts.
const usdt = "USDT"

// most is how many items of a queue are read: one more than is shown, to know
// whether there are more.
const most = Most + 1

// waiting reads a queue.
type waiting func(ctx context.Context, q *db.Queries, now time.Time) ([]Item, error)

// queues are all kinds in order, each with the function that reads its queue.
var queues = []struct {
	kind    Kind
	waiting waiting
}{
	{Conflict, reads((*db.Queries).WorkConflicts, atMost, func(row db.WorkConflictsRow) Item {
		return Item{SubjectID: row.ID, PaymentID: row.PaymentID, Since: &row.CreatedAt}
	})},
	{Overdrawn, reads((*db.Queries).WorkOverdrawn, atMost, func(row db.WorkOverdrawnRow) Item {
		return Item{SubjectID: row.ID, Name: accountName(row.ID), Amount: &row.Balance, Currency: usdt}
	})},
	{Overdue, reads((*db.Queries).WorkOverdue, func(now time.Time) db.WorkOverdueParams {
		return db.WorkOverdueParams{TakenUntil: now.Add(-OverdueAfter), Now: now, Most: most}
	}, func(row db.WorkOverdueRow) Item {
		return Item{SubjectID: row.ID, UUID: row.UUID, Since: &row.TakenAt, Amount: &row.Amount, Currency: row.Currency}
	})},
	{OtherAmount, reads((*db.Queries).WorkCases, atMost, func(row db.WorkCasesRow) Item {
		return Item{SubjectID: row.ID, Name: row.OrderID, Since: &row.StatusAt, Amount: &row.ReceivedAmount.Decimal, Currency: row.Currency}
	})},
	{Objection, reads((*db.Queries).WorkObjections, atMost, func(row db.WorkObjectionsRow) Item {
		return Item{SubjectID: row.ID, PaymentID: row.PaymentID, Since: row.DecidedAt, Amount: &row.Amount.Decimal, Currency: row.Currency}
	})},
	{AppealAnswer, reads((*db.Queries).WorkAppealAnswers, atMost, func(row db.WorkAppealAnswersRow) Item {
		return Item{SubjectID: row.AppealID, Since: &row.LastAt, Count: int(row.OperatorUnread)}
	})},
	{Appeal, reads((*db.Queries).WorkAppeals, atMost, func(row db.WorkAppealsRow) Item {
		return Item{SubjectID: row.ID, Name: row.OrderID, Since: &row.CreatedAt, Amount: &row.Amount, Currency: row.Currency}
	})},
	{Deposit, reads((*db.Queries).WorkDeposits, atMost, func(row db.WorkDepositsRow) Item {
		return Item{SubjectID: row.ID, Since: &row.CreatedAt, Amount: &row.Amount, Currency: usdt}
	})},
	{Withdrawal, reads((*db.Queries).WorkWithdrawals, atMost, func(row db.WorkWithdrawalsRow) Item {
		return Item{SubjectID: row.ID, Since: &row.StatusAt, Amount: &row.Amount, Currency: usdt}
	})},
	{DeadEvents, reads((*db.Queries).WorkDeadEvents, func(_ time.Time) db.WorkDeadEventsParams {
		return db.WorkDeadEventsParams{Counted: most, Most: most}
	}, func(row db.WorkDeadEventsRow) Item {
		return Item{SubjectID: row.ID, Name: row.Name, Since: &row.CreatedAt, Count: int(row.Events)}
	})},
	{Feed, reads((*db.Queries).WorkFeeds, atMost, func(row db.WorkFeedsRow) Item {
		return Item{SubjectID: row.ID, Name: row.Currency, Since: row.PolledAt}
	})},
	{Short, reads((*db.Queries).WorkShortTraders, atMost, func(row db.WorkShortTradersRow) Item {
		return Item{SubjectID: row.ID, Name: row.Name, Amount: &row.Available, Currency: usdt}
	})},
	{Idle, reads((*db.Queries).WorkIdleTraders, func(now time.Time) db.WorkIdleTradersParams {
		return db.WorkIdleTradersParams{Now: now, Most: most}
	}, func(row db.WorkIdleTradersRow) Item {
		return Item{SubjectID: row.ID, Name: row.Name}
	})},
}

func atMost(time.Time) int32 { return most }

// reads makes the reader of a queue from a query and its parameters.
func reads[P, R any](
	query func(*db.Queries, context.Context, P) ([]R, error), params func(now time.Time) P, item func(R) Item,
) waiting {
	return func(ctx context.Context, q *db.Queries, now time.Time) ([]Item, error) {
		rows, err := query(q, ctx, params(now))
		return db.Each(rows, item), err
	}
}

// accountName is an account's name for programs, such as trader:3:available.
func accountName(id int64) string {
	account := ledger.AccountOf(id)
	purpose := "available"
	if account.Reserved {
		purpose = "reserved"
	}
	return fmt.Sprintf("%s:%d:%s", account.Owner, account.OwnerID, purpose)
}
