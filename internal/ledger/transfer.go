package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Transfer is one row of the books: what one account is debited, the other is credited. The amount
// is in USDT; less than nothing goes the other way.
type Transfer struct {
	Debit, Credit Account
	Amount        decimal.Decimal
}

// Cause is what moves money, such as the completion of payment 12, and when. All that it moves at
// once are its transfers.
type Cause struct {
	Kind      string
	Subject   string
	SubjectID int64
	At        time.Time
}

// ErrInsufficient is a checked debit's refusal: the account does not hold the amount.
var ErrInsufficient = errors.New("insufficient balance")

// Posting is money on its way: first the debits, then the record. Both can share a round trip with
// other queries.
type Posting struct {
	// Debits take what is owed off the accounts, in the order of their ids. Covered tells whether
	// all were covered.
	Debits []db.Query
	// Record writes the transfers, once the debits are taken.
	Record  []db.Query
	covered []*bool
}

// Covered reports, after the debits were made, whether the accounts held them.
func (p *Posting) Covered() bool {
	return !slices.ContainsFunc(p.covered, func(covered *bool) bool { return !*covered })
}

// Plan prepares transfers whose debits of available money must be covered, or with force are taken
// whatever the balances are: for reversals of money already spent and late completions. Only force
// can leave an owner overdrawn.
func Plan(c Cause, force bool, transfers ...Transfer) *Posting {
	return plan(c, transfers, func(p *Posting, e effect) { p.debit(e, force) })
}

// ErrHeld says that somebody else has an account locked.
var ErrHeld = errors.New("the account is held by another transaction")

// Take prepares transfers whose debits of available money the database refuses where the balance
// itself, without the credits still pending, does not cover them: Short tells that by the error. So
// they need no answer before the transaction ends.
func Take(c Cause, transfers ...Transfer) []db.Query {
	p := plan(c, transfers, func(p *Posting, e effect) {
		p.Debits = append(
			p.Debits,
			db.Do((*db.Queries).AccountTake, db.AccountTakeParams{ID: e.account.ID(), Debit: e.amount.Neg()}).
				Held(ErrHeld),
		)
	})
	return append(p.Debits, p.Record...)
}

// Short reports whether err says that an account does not cover what was to be taken off it.
func Short(err error) bool { return db.Violated(err) == "account_covered" }

func plan(c Cause, transfers []Transfer, debit func(*Posting, effect)) *Posting {
	p := &Posting{}
	params := db.TransferPostParams{Kind: c.Kind, Subject: c.Subject, SubjectID: c.SubjectID, CreatedAt: c.At}
	for _, t := range net(transfers) {
		params.Debits = append(params.Debits, t.Debit.ID())
		params.Credits = append(params.Credits, t.Credit.ID())
		params.Amounts = append(params.Amounts, t.Amount)
	}
	for _, e := range effects(transfers) {
		if e.locks() {
			debit(p, e)
			continue
		}
		params.PendingAccounts = append(params.PendingAccounts, e.account.ID())
		params.PendingAmounts = append(params.PendingAmounts, e.amount)
	}
	p.Record = record(params)
	return p
}

// record writes transfers. One alone between the accounts of an owner, as of each creation, is written by plain inserts: on
// several nodes that costs a third of the statement that takes any number. What others get goes by that one, since it looks
// whether their accounts are there.
func record(params db.TransferPostParams) []db.Query {
	switch {
	case len(params.Amounts) == 0:
		return nil
	case len(params.Amounts) > 1 || len(params.PendingAmounts) > 1 ||
		!sameOwner(AccountOf(params.Debits[0]), AccountOf(params.Credits[0])):
		return []db.Query{db.Do((*db.Queries).TransferPost, params)}
	}
	queries := []db.Query{db.Do((*db.Queries).TransferInsert, db.TransferInsertParams{
		DebitAccount: params.Debits[0], CreditAccount: params.Credits[0], Amount: params.Amounts[0],
		Kind: params.Kind, Subject: params.Subject, SubjectID: params.SubjectID, CreatedAt: params.CreatedAt,
	})}
	for i, account := range params.PendingAccounts {
		queries = append(queries, db.Do((*db.Queries).AccountPendingInsert,
			db.AccountPendingInsertParams{AccountID: account, Amount: params.PendingAmounts[i]}))
	}
	return queries
}

func sameOwner(a, b Account) bool { return a.Owner == b.Owner && a.OwnerID == b.OwnerID }

// debit adds a debit: the lock and then, seeing all that was credited before, the rest.
func (p *Posting) debit(e effect, force bool) {
	covered := new(bool)
	p.covered = append(p.covered, covered)
	p.Debits = append(p.Debits, lockAndDebit(covered, e.account.ID(), e.amount.Neg(), force)...)
}

func lockAndDebit(covered *bool, account int64, amount decimal.Decimal, force bool) []db.Query {
	return []db.Query{
		db.Do((*db.Queries).AccountLock, account).Held(ErrHeld),
		db.Sure(covered, (*db.Queries).AccountDebit, db.AccountDebitParams{ID: account, Debit: amount, Force: force}),
	}
}

// Post books transfers whose debits of available money must be covered. On ErrInsufficient nothing
// was booked, but where there are several such debits some may be taken already: then the
// transaction must be rolled back.
func Post(ctx context.Context, q *db.Queries, c Cause, transfers ...Transfer) error {
	p := Plan(c, false, transfers...)
	if err := inTurn(ctx, q, p.Debits); err != nil {
		return fmt.Errorf("debit for %s: %w", c.Kind, err)
	}
	if !p.Covered() {
		return ErrInsufficient
	}
	if err := inTurn(ctx, q, p.Record); err != nil {
		return fmt.Errorf("post %s: %w", c.Kind, err)
	}
	return nil
}

func inTurn(ctx context.Context, q *db.Queries, queries []db.Query) error {
	for _, query := range queries {
		if err := query.Run(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// net brings the transfers between the same two accounts together into one that goes the way of the
// most, or into none.
func net(transfers []Transfer) []Transfer {
	var netted []Transfer
	for _, t := range transfers {
		i := slices.IndexFunc(netted, func(n Transfer) bool { return n.sameWay(t) || n.sameWay(t.turned()) })
		if i < 0 {
			netted = append(netted, t)
			continue
		}
		if !netted[i].sameWay(t) {
			t = t.turned()
		}
		netted[i].Amount = netted[i].Amount.Add(t.Amount)
	}
	netted = slices.DeleteFunc(netted, func(t Transfer) bool { return t.Amount.IsZero() })
	for i, t := range netted {
		if t.Amount.IsNegative() {
			netted[i] = t.turned()
		}
	}
	return netted
}

func (t Transfer) sameWay(as Transfer) bool { return t.Debit == as.Debit && t.Credit == as.Credit }

// turned is the same transfer, told the other way round.
func (t Transfer) turned() Transfer {
	return Transfer{Debit: t.Credit, Credit: t.Debit, Amount: t.Amount.Neg()}
}

// effect is what transfers together do to an account.
type effect struct {
	account Account
	amount  decimal.Decimal
}

// locks tells debits of available money, which lock the account, from everything else, which locks
// nothing.
func (e effect) locks() bool {
	return e.amount.IsNegative() && !e.account.Reserved && e.account.Owner != External
}

// effects are what transfers do to each account that they change, sorted by account id: the order
// in which everyone locks.
func effects(transfers []Transfer) []effect {
	sums := map[Account]decimal.Decimal{}
	for _, t := range transfers {
		sums[t.Debit] = sums[t.Debit].Sub(t.Amount)
		sums[t.Credit] = sums[t.Credit].Add(t.Amount)
	}
	var changed []effect
	for account, sum := range sums {
		if !sum.IsZero() {
			changed = append(changed, effect{account, sum})
		}
	}
	slices.SortFunc(changed, func(a, b effect) int { return cmp.Compare(a.account.ID(), b.account.ID()) })
	return changed
}
