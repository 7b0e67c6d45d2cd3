package directory

import (
	"context"
	"errors"
	"fmt"

	"gateway.example/internal/caller"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/ledger"
	"gateway.example/internal/money"
)

// Correction is a transfer by hand between two accounts. It moves available
// money only: reserved money belongs to something that is open.
type Correction struct {
	From, To ledger.Account
	// Amount is in USDT, more than 0, up to 8 decimals.
	Amount string
	// Reference identifies the correction. Repeating a call with the same
	// reference moves nothing again; it returns the first correction, or a
	// conflict if the call differs.
	Reference string
	Reason    string
}

var errAccountBalance = fault.New(fault.Refused, "insufficient_account_balance",
	"The account does not hold that much available.")

const maxCorrectionReason = 500

// Correct moves USDT from one account to another, if the first has that much
// available.
func (s *Settings) Correct(ctx context.Context, who caller.Caller, n Correction) (Change, error) {
	c, err := s.change(who, caller.OperatorMoney, "correction", "")
	if err != nil {
		return c, err
	}
	params, err := n.validate(ctx)
	if err != nil {
		return c, err
	}
	params.CreatedAt = c.At
	if err := s.accountsExist(ctx, params); err != nil {
		return c, err
	}
	return s.byReference(ctx, c, func() (Change, error) { return s.repeatCorrection(ctx, params) }, db.Creation{
		Insert: func(q *db.Queries) (int64, error) { return insertCorrection(ctx, q, params) },
		Read:   func(q *db.Queries, id int64) ([]byte, error) { return q.CorrectionSetting(ctx, id) },
	})
}

// validate checks the form of a correction: more than 0 USDT between two
// different available accounts. Whether they exist, and whether the first has
// that much, is checked after it.
func (n Correction) validate(ctx context.Context) (db.CorrectionInsertParams, error) {
	f := fault.Decoded(ctx)
	params := db.CorrectionInsertParams{
		DebitAccount: n.From.ID(), CreditAccount: n.To.ID(),
		Amount:    fault.Read(f, "amount", n.Amount, money.ParseUSDT),
		Reference: f.RequiredText("reference", n.Reference, maxFundingReference),
		Reason:    f.RequiredText("reason", n.Reason, maxCorrectionReason),
	}
	f.Check(!params.Amount.IsZero() || f.Wrong("amount"), "amount", "must be more than 0")
	f.Check(!n.From.Reserved, "from", "must be an available account")
	f.Check(!n.To.Reserved, "to", "must be an available account")
	f.Check(n.From != n.To, "to", "must be another account")
	return params, f.Err()
}

func (s *Settings) accountsExist(ctx context.Context, params db.CorrectionInsertParams) error {
	found, err := s.q.CorrectionAccounts(ctx, []int64{params.DebitAccount, params.CreditAccount})
	if err != nil {
		return fmt.Errorf("find accounts: %w", err)
	}
	if len(found) < 2 {
		return fault.ErrNotFound
	}
	return nil
}

// insertCorrection inserts the reference and moves the money. It returns
// errReferenceUsed if the reference was used before.
func insertCorrection(ctx context.Context, q *db.Queries, params db.CorrectionInsertParams) (int64, error) {
	id, err := q.CorrectionInsert(ctx, params)
	if db.NoRows(err) {
		return 0, errReferenceUsed
	}
	if err != nil {
		return 0, fmt.Errorf("insert correction: %w", err)
	}
	cause := ledger.Cause{Kind: "correction", Subject: "correction", SubjectID: id, At: params.CreatedAt}
	err = ledger.Post(ctx, q, cause, ledger.Transfer{
		Debit:  ledger.AccountOf(params.DebitAccount),
		Credit: ledger.AccountOf(params.CreditAccount),
		Amount: params.Amount,
	})
	if errors.Is(err, ledger.ErrInsufficient) {
		return 0, errAccountBalance
	}
	return id, err
}

// repeatCorrection returns the correction that was made with the reference, or
// a conflict if it differs from what is asked for.
func (s *Settings) repeatCorrection(ctx context.Context, asked db.CorrectionInsertParams) (Change, error) {
	made, err := s.q.CorrectionByReference(ctx, asked.Reference)
	if err != nil {
		return Change{}, fmt.Errorf("read correction: %w", err)
	}
	if made.DebitAccount != asked.DebitAccount || made.CreditAccount != asked.CreditAccount ||
		!made.Amount.Equal(asked.Amount) || made.Reason != asked.Reason {
		return Change{}, errReferenceConflict
	}
	return made.SettingChange, nil
}
