package directory

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/foureyes"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
)

// SetInsurance sets how much of a cashbox's USDT insures its payers' transfers.
// The difference moves between available and reserved; an increase is refused
// if too little is available.
func (s *Settings) SetInsurance(ctx context.Context, who caller.Caller, id int64, amount string) (Change, error) {
	return s.SetInsuranceFrom(ctx, who, id, "", amount)
}

// SetInsuranceFrom is SetInsurance of a cashbox whose insurance is still the
// one that was seen; "" is any.
func (s *Settings) SetInsuranceFrom(
	ctx context.Context, who caller.Caller, id int64, seen, amount string,
) (Change, error) {
	c, err := s.change(who, caller.OperatorMoney, "cashbox", strconv.FormatInt(id, 10))
	if err != nil {
		return c, err
	}
	f := fault.Decoded(ctx)
	insurance := fault.Read(f, "amount", amount, money.ParseUSDT)
	if err := f.Err(); err != nil {
		return c, err
	}
	return db.ChangeSetting(ctx, s.pool, c, db.Setting{
		Whole: true,
		Read:  func(q *db.Queries) ([]byte, error) { return q.CashboxSetting(ctx, id) },
		Apply: func(q *db.Queries) error { return s.insure(ctx, q, c, who, id, insurance, seen) },
	})
}

// insure moves what a cashbox's insurance changes by, from available to
// reserved or back, in the transaction of the change. The cashbox is locked
// until that ends, so that two changes cannot both start from the same amount.
func (s *Settings) insure(
	ctx context.Context, q *db.Queries, c Change, who caller.Caller, id int64, insurance decimal.Decimal, seen string,
) error {
	before, err := q.CashboxInsurance(ctx, id)
	if err != nil {
		return fmt.Errorf("read insurance: %w", err)
	}
	if seen != "" && seen != before.String() {
		return db.ErrSettingChanged
	}
	err = s.FourEyes.Moving(ctx, q, foureyes.Movement{
		OperatorID: who.ID, Owner: ledger.Cashbox.Of(id), Amount: insurance.Sub(before), At: c.At,
	})
	if err != nil {
		return err
	}
	err = ledger.Post(
		ctx,
		q,
		ledger.Cause{Kind: "insurance", Subject: "insurance", SubjectID: id, At: c.At},
		ledger.Transfer{
			Debit:  ledger.Available(ledger.Cashbox, id),
			Credit: ledger.Reserved(ledger.Cashbox, id),
			Amount: insurance.Sub(before),
		},
	)
	if errors.Is(err, ledger.ErrInsufficient) {
		return fault.ErrCashboxBalance
	}
	if err != nil {
		return err
	}
	return q.CashboxSetInsurance(ctx, db.CashboxSetInsuranceParams{ID: id, InsuranceUSDT: insurance})
}
