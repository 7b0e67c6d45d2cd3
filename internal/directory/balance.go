package directory

import (
	"context"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
)

// Balance is an owner's USDT: Available can be used for new payments, and
// Reserved is held for open ones.
type Balance struct{ Available, Reserved decimal.Decimal }

// Balance reads the balance of a trader or a cashbox, for an operator.
func (s *Settings) Balance(ctx context.Context, who caller.Caller, owner ledger.Owner, id int64) (Balance, error) {
	if err := who.Need(caller.OperatorRead); err != nil {
		return Balance{}, err
	}
	return s.balance(ctx, owner, id)
}

// OwnBalance reads the balance of the caller's trader.
func (s *Settings) OwnBalance(ctx context.Context, who caller.Caller) (Balance, error) {
	if err := who.Admit(ctx, caller.TraderMoney); err != nil {
		return Balance{}, err
	}
	return s.balance(ctx, ledger.Trader, who.TraderID)
}

func (s *Settings) balance(ctx context.Context, owner ledger.Owner, id int64) (Balance, error) {
	available, err := ledger.Balance(ctx, s.q, ledger.Available(owner, id))
	if err != nil {
		return Balance{}, err
	}
	reserved, err := ledger.Balance(ctx, s.q, ledger.Reserved(owner, id))
	return Balance{Available: available, Reserved: reserved}, err
}
