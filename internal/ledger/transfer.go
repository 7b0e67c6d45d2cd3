package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway/internal/db"
)

// Leg is one side of a transfer: the amount, in USDT, that an account gains.
type Leg struct {
	Account Account
	Amount  decimal.Decimal
}

// Transfer is a movement of money about a subject, such as payment 12.
type Transfer struct {
	Kind      string
	Subject   string
	SubjectID int64
	At        time.Time
	Legs      []Leg
}

// ErrInsufficient is a checked debit's refusal: the account does not hold the amount.
var ErrInsufficient = errors.New("insufficient balance")

// Posting is a transfer on its way into the books: first its debits, then its record. Both can share a round trip with
// other queries.
type Posting struct {
	// Debits take what is owed off the accounts, in the order of their ids. Covered tells whether all were covered.
	Debits []db.Query
	// Record writes the transfer and its legs, once the debits are taken.
	Record  []db.Query
	covered []bool
}

// Covered reports, after the debits were made, whether the accounts held them.
func (p *Posting) Covered() bool { return !slices.Contains(p.covered, false) }

// Plan prepares a transfer whose debits of available money must be covered, or with force are taken whatever the
// balances are.
func Plan(ctx context.Context, t Transfer, force bool) *Posting {
	legs := net(t.Legs)
	p := &Posting{covered: make([]bool, len(legs))}
	params := db.TransferPostParams{Kind: t.Kind, Subject: t.Subject, SubjectID: t.SubjectID, CreatedAt: t.At}
	for i, leg := range legs {
		id, locks := leg.Account.ID(), leg.locks()
		p.covered[i] = !locks
		if locks {
			p.Debits = append(p.Debits,
				func(q *db.Queries) error { return q.AccountLock(ctx, id) },
				func(q *db.Queries) (err error) {
					p.covered[i], err = q.AccountDebit(ctx, db.AccountDebitParams{ID: id, Debit: leg.Amount.Neg(), Force: force})
					return err
				})
		}
		params.AccountIds = append(params.AccountIds, id)
		params.Amounts = append(params.Amounts, leg.Amount)
		params.Pending = append(params.Pending, !locks)
	}
	if len(legs) > 0 {
		p.Record = append(p.Record, func(q *db.Queries) error { return q.TransferPost(ctx, params) })
	}
	return p
}

// Post books a transfer whose debits of available money must be covered. On ErrInsufficient nothing was booked, but a
// transfer with several such debits may have taken some already: then the transaction must be rolled back.
func Post(ctx context.Context, q *db.Queries, t Transfer) error {
	p := Plan(ctx, t, false)
	if err := inTurn(q, p.Debits); err != nil {
		return fmt.Errorf("debit for %s: %w", t.Kind, err)
	}
	if !p.Covered() {
		return ErrInsufficient
	}
	if err := inTurn(q, p.Record); err != nil {
		return fmt.Errorf("post %s: %w", t.Kind, err)
	}
	return nil
}

// Force books a transfer whatever the balances are: for reversals of money already spent and late completions. Only a
// forced transfer can leave an owner overdrawn.
func Force(ctx context.Context, q *db.Queries, t Transfer) error {
	p := Plan(ctx, t, true)
	if err := inTurn(q, append(p.Debits, p.Record...)); err != nil {
		return fmt.Errorf("force %s: %w", t.Kind, err)
	}
	return nil
}

func inTurn(q *db.Queries, queries []db.Query) error {
	for _, query := range queries {
		if err := query(q); err != nil {
			return err
		}
	}
	return nil
}

// locks tells debits of available money, which lock the account, from everything else, which locks nothing.
func (l Leg) locks() bool {
	return l.Amount.IsNegative() && !l.Account.Reserved && l.Account.Owner != External
}

// net merges the legs of each account, drops those that come to nothing, and sorts them by account id: the order in
// which everyone locks.
func net(legs []Leg) []Leg {
	sums := map[Account]decimal.Decimal{}
	for _, leg := range legs {
		sums[leg.Account] = sums[leg.Account].Add(leg.Amount)
	}
	maps.DeleteFunc(sums, func(_ Account, sum decimal.Decimal) bool { return sum.IsZero() })
	netted := make([]Leg, 0, len(sums))
	for account, sum := range sums {
		netted = append(netted, Leg{Account: account, Amount: sum})
	}
	slices.SortFunc(netted, func(a, b Leg) int { return cmp.Compare(a.Account.ID(), b.Account.ID()) })
	return netted
}
