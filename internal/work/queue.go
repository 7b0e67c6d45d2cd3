package work

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
	"gateway.example/internal/ledger"
)

// usdt is the currency of deposits and accounts.
const usdt = "USDT"

// waiting reads the queue of a kind, with one more than is shown.
func (s *Service) waiting(ctx context.Context, q *db.Queries, kind Kind) ([]Item, error) {
	const most = Most + 1
	now := s.clock.Now()
	switch kind {
	case Conflict:
		rows, err := q.WorkConflicts(ctx, most)
		return items(rows, conflictItem), err
	case Overdrawn:
		rows, err := q.WorkOverdrawn(ctx, most)
		return items(rows, overdrawnItem), err
	case Overdue:
		rows, err := q.WorkOverdue(ctx, db.WorkOverdueParams{
			TakenUntil: now.Add(-OverdueAfter), Now: now, Most: most,
		})
		return items(rows, overdueItem), err
	case OtherAmount:
		rows, err := q.WorkCases(ctx, most)
		return items(rows, caseItem), err
	case Objection:
		rows, err := q.WorkObjections(ctx, most)
		return items(rows, objectionItem), err
	case Appeal:
		rows, err := q.WorkAppeals(ctx, most)
		return items(rows, appealItem), err
	case AppealAnswer:
		rows, err := q.WorkAppealAnswers(ctx, most)
		return items(rows, answerItem), err
	case Deposit:
		rows, err := q.WorkDeposits(ctx, most)
		return items(rows, depositItem), err
	case Withdrawal:
		rows, err := q.WorkWithdrawals(ctx, most)
		return items(rows, withdrawalItem), err
	case DeadEvents:
		rows, err := q.WorkDeadEvents(ctx, db.WorkDeadEventsParams{Counted: most, Most: most})
		return items(rows, deadItem), err
	case Feed:
		rows, err := q.WorkFeeds(ctx, most)
		return items(rows, feedItem), err
	case Short:
		rows, err := q.WorkShortTraders(ctx, most)
		return items(rows, shortItem), err
	case Idle:
		rows, err := q.WorkIdleTraders(ctx, db.WorkIdleTradersParams{Now: now, Most: most})
		return items(rows, idleItem), err
	}
	return nil, nil
}

func items[R any](rows []R, item func(R) Item) []Item {
	list := make([]Item, 0, len(rows))
	for _, row := range rows {
		list = append(list, item(row))
	}
	return list
}

func conflictItem(row db.WorkConflictsRow) Item {
	return Item{SubjectID: row.ID, PaymentID: row.PaymentID, Since: &row.CreatedAt}
}

func overdrawnItem(row db.WorkOverdrawnRow) Item {
	return Item{
		SubjectID: row.ID, Name: accountName(row.ID), Amount: &row.Balance, Currency: usdt,
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

func overdueItem(row db.WorkOverdueRow) Item {
	return Item{SubjectID: row.ID, UUID: row.UUID, Since: &row.TakenAt, Amount: &row.Amount, Currency: row.Currency}
}

func caseItem(row db.WorkCasesRow) Item {
	return Item{
		SubjectID: row.ID, Name: row.OrderID, Since: &row.StatusAt, Amount: &row.ReceivedAmount.Decimal, Currency: row.Currency,
	}
}

func objectionItem(row db.WorkObjectionsRow) Item {
	return Item{
		SubjectID: row.ID, PaymentID: row.PaymentID, Since: row.DecidedAt, Amount: &row.Amount.Decimal, Currency: row.Currency,
	}
}

func appealItem(row db.WorkAppealsRow) Item {
	return Item{
		SubjectID: row.ID, Name: row.OrderID, Since: &row.CreatedAt, Amount: &row.Amount, Currency: row.Currency,
	}
}

func answerItem(row db.WorkAppealAnswersRow) Item {
	return Item{SubjectID: row.AppealID, Since: &row.LastAt, Count: int(row.OperatorUnread)}
}

func depositItem(row db.WorkDepositsRow) Item {
	return Item{SubjectID: row.ID, Since: &row.CreatedAt, Amount: &row.Amount, Currency: usdt}
}

func withdrawalItem(row db.WorkWithdrawalsRow) Item {
	return Item{SubjectID: row.ID, Since: &row.StatusAt, Amount: &row.Amount, Currency: usdt}
}

func deadItem(row db.WorkDeadEventsRow) Item {
	return Item{SubjectID: row.ID, Name: row.Name, Since: &row.CreatedAt, Count: int(row.Events)}
}

func feedItem(row db.WorkFeedsRow) Item {
	return Item{SubjectID: row.ID, Name: row.Currency, Since: row.PolledAt}
}

func shortItem(row db.WorkShortTradersRow) Item {
	return Item{SubjectID: row.ID, Name: row.Name, Amount: &row.Available, Currency: usdt}
}

func idleItem(row db.WorkIdleTradersRow) Item { return Item{SubjectID: row.ID, Name: row.Name} }
