package db

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/fault"
)

// aloneWindow is the time over which an operator's lone movements are added up.
const aloneWindow = 24 * time.Hour

// MoveAlone stores USDT that an operator moves for an owner without a second
// operator, and reports whether that is allowed: neither the operator's
// movements of the last 24 hours nor those of all operators for the owner may
// exceed most. Concurrent movements wait until this transaction ends.
func (q *Queries) MoveAlone(
	ctx context.Context, operatorID int64, owner string, amount, most decimal.Decimal, at time.Time,
) (bool, error) {
	// The operator always comes before the owner, so that two transactions
	// cannot deadlock.
	for _, whose := range []string{"by " + strconv.FormatInt(operatorID, 10), "of " + owner} {
		if err := q.OperatorMovementTurn(ctx, whose); err != nil {
			return false, fmt.Errorf("wait for other movements: %w", err)
		}
	}
	moved, err := q.OperatorMovementSum(ctx, OperatorMovementSumParams{
		OperatorID: operatorID, Owner: owner, Since: at.Add(-aloneWindow),
	})
	if err != nil {
		return false, fmt.Errorf("add up movements: %w", err)
	}
	if moved.Add(amount).GreaterThan(most) {
		return false, nil
	}
	err = q.OperatorMovementInsert(ctx, OperatorMovementInsertParams{
		At: at, OperatorID: operatorID, Owner: owner, Amount: amount,
	})
	return err == nil, fault.Doing("note movement", err)
}
