package db

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/shopspring/decimal"
)

// aloneWindow is over how long is added up what one operator moved alone.
const aloneWindow = 24 * time.Hour

// MoveAlone notes USDT that an operator moves of an owner's without a second operator, and reports whether they may:
// neither what they moved in the last 24 hours, nor what all operators moved of that owner's, may come to more than the
// most. Movements that are under way at the same time wait for one another until this transaction ends.
func (q *Queries) MoveAlone(
	ctx context.Context, operatorID int64, owner string, amount, most decimal.Decimal, at time.Time,
) (bool, error) {
	// The operator before the owner, always: so nobody waits for somebody who waits for them.
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
	if err != nil {
		return false, fmt.Errorf("note movement: %w", err)
	}
	return true, nil
}
