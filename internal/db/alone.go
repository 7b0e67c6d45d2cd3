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

// MoveAlone notes USDT that an operator moves for an owner without a second operator, and reports
// whether they may: neither the operator's movements of the last 24 hours nor those for the owner by
// all operators may exceed most. Movements at the same time wait for one another until this
// transaction ends.
func (q *Queries) MoveAlone(
	ctx context.Context, operatorID int64, owner string, amount, most decimal.Decimal, at time.Time,
) (bool, error) {
	// Always the operator before the owner, so that two transactions cannot deadlock.
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
