package directory

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
)

var (
	errTraderBalance     = fault.New(fault.Refused, "insufficient_trader_balance", "The trader does not hold that much available.")
	errReferenceConflict = fault.ErrIdempotencyConflict.Saying("The reference was used for another movement.")
	errReferenceUsed     = errors.New("the reference is used")
)

// Funding is an amount of USDT that a trader deposits or withdraws.
type Funding struct {
	TraderID int64
	// Amount is in USDT, more than 0, up to 8 decimals.
	Amount string
	// Reference identifies the movement outside the gateway, for example by
	// a transaction's hash. Repeating a call with the same reference moves
	// nothing again and returns what the first call did.
	Reference string
}

// FundTrader credits USDT that an operator has seen arrive for a trader.
func (s *Settings) FundTrader(ctx context.Context, who caller.Caller, n Funding) (Change, error) {
	return s.moveFunds(ctx, who, n, false)
}

// WithdrawTrader debits USDT that a trader withdraws, if that much is
// available.
func (s *Settings) WithdrawTrader(ctx context.Context, who caller.Caller, n Funding) (Change, error) {
	return s.moveFunds(ctx, who, n, true)
}

// moveFunds credits a trader, or with withdraw debits them if that much is
// available. It moves nothing for a reference that was used before, nor where a
// second operator has to approve.
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
	return s.byReference(ctx, c, func() (Change, error) { return s.repeatFunding(ctx, params) }, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return InsertFunding(ctx, q, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.TraderFundingSetting(ctx, id) },
	})
}

// byReference makes what a reference identifies, or returns what was made with
// that reference before. If a second operator is required, it makes nothing
// itself.
func (s *Settings) byReference(
	ctx context.Context, c Change, before func() (Change, error), n db.Creation,
) (Change, error) {
	if refusal := s.FourEyes.Always(); refusal != nil {
		done, err := before()
		if db.NoRows(err) {
			err = refusal
		}
		return done, err
	}
	c, err := db.CreateSetting(ctx, s.pool, c, n)
	if errors.Is(err, errReferenceUsed) {
		return before()
	}
	return c, err
}

const maxFundingReference = 255

// validate checks the form of a funding. The amount is positive also for a
// withdrawal; the caller turns its sign and adds the time.
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

// InsertFunding inserts the reference and moves the money. It returns
// errReferenceUsed if the reference was used before, and refuses to credit a
// transaction whose transfer is attached to a merchant's deposit.
func InsertFunding(ctx context.Context, q *db.Queries, params db.TraderFundingInsertParams) (int64, error) {
	id, err := q.TraderFundingInsert(ctx, params)
	if db.NoRows(err) {
		return 0, errReferenceUsed
	}
	if err != nil {
		return 0, fmt.Errorf("insert funding: %w", err)
	}
	if err := unattached(ctx, q, params); err != nil {
		return 0, err
	}
	kind := "funding"
	if params.Amount.IsNegative() {
		kind = "withdrawal"
	}
	cause := ledger.Cause{Kind: kind, Subject: "trader_funding", SubjectID: id, At: params.CreatedAt}
	err = ledger.Post(ctx, q, cause, ledger.Transfer{
		Debit:  ledger.Available(ledger.External, 0),
		Credit: ledger.Available(ledger.Trader, params.TraderID),
		Amount: params.Amount,
	})
	if errors.Is(err, ledger.ErrInsufficient) {
		return 0, errTraderBalance
	}
	return id, err
}

// transaction is how a reference names a transaction on a network.
var transaction = regexp.MustCompile(`[0-9A-Fa-f]{64}`)

// unattached refuses a funding by a transaction of which no transfer is left.
// Whoever attaches one to a deposit waits likewise, and looks for fundings.
func unattached(ctx context.Context, q *db.Queries, params db.TraderFundingInsertParams) error {
	if params.Amount.IsNegative() || !transaction.MatchString(params.Reference) {
		return nil
	}
	if err := q.DepositTransactionTurn(ctx, params.Reference); err != nil {
		return fmt.Errorf("wait for a transaction: %w", err)
	}
	spent, err := q.DepositTransactionOverspent(ctx, params.Reference)
	if err == nil && spent {
		return fault.Fields{"reference": {"is of another deposit already"}}.Err()
	}
	return fault.Doing("look for the transfers of a transaction", err)
}

// repeatFunding returns the movement with the reference. It reads after the
// transaction that found the reference used, because only then it sees what
// another transaction has just committed.
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
