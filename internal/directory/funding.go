package directory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
)

var (
	errTraderBalance = fault.New(
		fault.Refused,
		"insufficient_trader_balance",
		"The trader does not hold that much available.",
	)
	errReferenceConflict = fault.ErrIdempotencyConflict.Saying("The reference was used for another movement.")
	errReferenceUsed     = errors.New("the reference is used")
)

// Funding is USDT that moves between a trader and the world outside.
type Funding struct {
	TraderID int64
	// Amount is in USDT, more than 0, up to 8 decimals.
	Amount string
	// Reference names the movement outside, such as a transaction's hash. Of several calls with one
	// reference one moves money, and the others answer with what it did.
	Reference string
}

// FundTrader brings a trader's USDT in from outside, on an operator's word that they have arrived.
func (s *Settings) FundTrader(ctx context.Context, who caller.Caller, n Funding) (Change, error) {
	return s.moveFunds(ctx, who, n, false)
}

// WithdrawTrader takes out USDT that a trader has available.
func (s *Settings) WithdrawTrader(ctx context.Context, who caller.Caller, n Funding) (Change, error) {
	return s.moveFunds(ctx, who, n, true)
}

func (s *Settings) moveFunds(ctx context.Context, who caller.Caller, n Funding, withdraw bool) (Change, error) {
	c, err := s.change(who, caller.OperatorMoney, "trader_funding", "")
	if err != nil {
		return c, err
	}
	if _, err := s.q.TraderShare(ctx, n.TraderID); db.NoRows(err) {
		return c, fault.ErrNotFound
	} else if err != nil {
		return c, fmt.Errorf("find trader: %w", err)
	}
	params, err := n.validate(ctx)
	if err != nil {
		return c, err
	}
	params.CreatedAt = c.At
	if withdraw {
		params.Amount = params.Amount.Neg()
	}
	if err := s.FourEyes.Always(); err != nil {
		return s.fundedBefore(ctx, params, err)
	}
	c, err = db.CreateSetting(ctx, s.pool, c, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return InsertFunding(ctx, q, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.TraderFundingSetting(ctx, id) },
	})
	if errors.Is(err, errReferenceUsed) {
		return s.repeatFunding(ctx, params)
	}
	return c, err
}

const maxFundingReference = 255

func (n Funding) validate(ctx context.Context) (db.TraderFundingInsertParams, error) {
	f := fault.Decoded(ctx)
	params := db.TraderFundingInsertParams{
		TraderID:  n.TraderID,
		Amount:    fault.Read(f, "amount", n.Amount, money.ParseUSDT),
		Reference: strings.TrimSpace(n.Reference),
	}
	f.Check(!params.Amount.IsZero() || f.Wrong("amount"), "amount", "must be more than 0")
	f.Required("reference", params.Reference)
	f.MaxLength("reference", params.Reference, maxFundingReference)
	return params, f.Err()
}

// InsertFunding claims the reference and moves the money.
func InsertFunding(ctx context.Context, q *db.Queries, params db.TraderFundingInsertParams) (int64, error) {
	id, err := q.TraderFundingInsert(ctx, params)
	if db.NoRows(err) {
		return 0, errReferenceUsed
	}
	if err != nil {
		return 0, fmt.Errorf("insert funding: %w", err)
	}
	kind := "funding"
	if params.Amount.IsNegative() {
		kind = "withdrawal"
	}
	cause := ledger.Cause{Kind: kind, Subject: "trader_funding", SubjectID: id, At: params.CreatedAt}
	err = ledger.Post(ctx, q, cause, ledger.Transfer{
		Debit: ledger.Available(
			ledger.External,
			0,
		),
		Credit: ledger.Available(ledger.Trader, params.TraderID),
		Amount: params.Amount,
	})
	if errors.Is(err, ledger.ErrInsufficient) {
		return 0, errTraderBalance
	}
	return id, err
}

// fundedBefore answers with the movement that has the reference, or refuses where there is none.
func (s *Settings) fundedBefore(
	ctx context.Context, asked db.TraderFundingInsertParams, refusal error,
) (Change, error) {
	c, err := s.repeatFunding(ctx, asked)
	if db.NoRows(err) {
		return Change{}, refusal
	}
	return c, err
}

// repeatFunding answers with the movement that has the reference. It reads after the transaction
// that found it used, and so sees what the winner of a race has just committed.
func (s *Settings) repeatFunding(ctx context.Context, asked db.TraderFundingInsertParams) (Change, error) {
	made, err := s.q.TraderFundingByReference(ctx, asked.Reference)
	if err != nil {
		return Change{}, fmt.Errorf("read funding: %w", err)
	}
	if made.TraderID != asked.TraderID || !made.Amount.Equal(asked.Amount) {
		return Change{}, errReferenceConflict
	}
	return made.SettingChange, nil
}
