package report

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"gateway.example/internal/caller"
	"gateway.example/internal/ledger"
)

// StatementFilter says which account, and which part of its statement.
type StatementFilter struct {
	Paging
	// Account is the account. A trader sees their own available and reserved accounts; a merchant
	// those of its cashboxes; an operator every account. The zero value is a trader's own available
	// account.
	Account ledger.Account
	// From and To bound the time: from then on, and before then. A From that is zero is 30 days
	// before To; a To that is zero is now and whatever comes.
	From, To time.Time
	// OldestFirst turns the order; it is the newest first otherwise.
	OldestFirst bool
}

// Statement is part of an account's statement.
type Statement struct {
	Account ledger.Account
	// Opening is what the account had at From, and Closing what it had at To.
	Opening, Closing decimal.Decimal
	// From and To are the bounds; a To that is zero is none.
	From, To time.Time
	// Page has the lines, in the order asked for.
	Page[StatementLine]
}

// StatementLine is one movement to or from the account.
type StatementLine struct {
	// TransferID tells lines apart.
	TransferID int64
	At         time.Time
	// Kind is why, such as hold, freeze, funding or pending-completed.
	Kind string
	// Subject is what moved it: payment, payin, deposit, trader_funding or insurance. SubjectID is
	// its id, and SubjectUUID of a payment or payout its uuid.
	Subject     string
	SubjectID   int64
	SubjectUUID uuid.UUID
	// Debit is what was taken from the account, or Credit what it got; the other is zero.
	Debit, Credit decimal.Decimal
	// Balance is what the account had after it.
	Balance decimal.Decimal
}

// Statement lists what was moved to and from an account.
func (s *Service) Statement(ctx context.Context, who caller.Caller, f StatementFilter) (Statement, error) {
	return Statement{}, errUnfinished
}
