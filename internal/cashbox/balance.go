package cashbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway/internal/auth"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/ledger"
)

var (
	errNoBridge = fault.New(fault.Refused, "cashbox_without_trader_bridge", "The cashbox is bridged to no trader's cashbox.")
	errBalance  = fault.New(fault.Refused, "insufficient_cashbox_balance", "The cashbox does not hold that much available.")
)

// Balance is what a cashbox holds, in USDT with 8 decimals.
type Balance struct {
	CashboxID, TraderCashboxID int64
	// Total is Available and Reserved; Insurance is a part of Reserved.
	Total, Available, Reserved, Insurance decimal.Decimal
}

// Balance reads what a cashbox of the merchant's holds, in one snapshot. Any key of the merchant may.
func (a *Accounts) Balance(ctx context.Context, caller auth.Caller, id int64) (Balance, error) {
	if err := caller.NeedMerchant(""); err != nil {
		return Balance{}, err
	}
	row, err := a.q.CashboxBalance(ctx, db.CashboxBalanceParams{
		ID: id, Available: ledger.Available(ledger.Cashbox, id).ID(), Reserved: ledger.Reserved(ledger.Cashbox, id).ID(),
	})
	switch {
	case db.NoRows(err):
		return Balance{}, fault.ErrNotFound
	case err != nil:
		return Balance{}, fmt.Errorf("read balance: %w", err)
	case row.MerchantID != caller.MerchantID:
		return Balance{}, fault.ErrCashboxAccessDenied
	case row.TraderCashboxID == nil:
		return Balance{}, errNoBridge
	}
	return Balance{
		CashboxID: id, TraderCashboxID: *row.TraderCashboxID, Total: row.Available.Add(row.Reserved),
		Available: row.Available, Reserved: row.Reserved, Insurance: row.InsuranceUSDT,
	}, nil
}

// SetInsurance sets what of a cashbox's USDT insures its payers' transfers. The difference moves between available and
// reserved; what available does not cover is refused.
func (s *Settings) SetInsurance(ctx context.Context, caller auth.Caller, id int64, amount string) (Change, error) {
	c, err := s.change(caller, "cashbox", strconv.FormatInt(id, 10))
	if err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	insurance := checkUSDT(f, "amount", amount)
	if err := f.Err(); err != nil {
		return c, err
	}
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxSetting(ctx, id) },
		Apply: func(q *db.Queries) error { return insure(ctx, q, c, id, insurance) },
	})
}

// insure moves a locked cashbox's insurance to a sum.
func insure(ctx context.Context, q *db.Queries, c Change, id int64, insurance decimal.Decimal) error {
	before, err := q.CashboxInsurance(ctx, id)
	if err != nil {
		return fmt.Errorf("read insurance: %w", err)
	}
	err = ledger.Post(ctx, q, ledger.Cause{Kind: "insurance", Subject: "insurance", SubjectID: id, At: c.At}, ledger.Transfer{
		Debit: ledger.Available(ledger.Cashbox, id), Credit: ledger.Reserved(ledger.Cashbox, id), Amount: insurance.Sub(before),
	})
	if errors.Is(err, ledger.ErrInsufficient) {
		return errBalance
	}
	if err != nil {
		return err
	}
	return q.CashboxSetInsurance(ctx, db.CashboxSetInsuranceParams{ID: id, InsuranceUSDT: insurance})
}
