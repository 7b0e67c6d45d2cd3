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

// Transfer debits one account and credits another, in USDT. A negative amount
// goes the other way.
type Transfer struct {
	Debit, Credit Account
	Amount        decimal.Decimal
}

// Cause says why and when money is moved, for example by the completion of
// payment 12. All transfers that it makes belong to it.
type Cause struct {
	Kind      string
	Subject   string
	SubjectID int64
	At        time.Time
}

// ErrInsufficient refuses a checked debit: the account does not have the
// amount.
var ErrInsufficient = errors.New("insufficient balance")

// Posting is a booking in two steps: first the debits, then the record. Both
// can share a round trip with other queries.
type Posting struct {
	// Debits debit the accounts, in the order of their ids.
	Debits []db.Query
	// Record writes the transfers, after the debits.
	Record  []db.Query
	covered []*bool
}

// Covered reports after the debits whether the accounts had the money.
func (p *Posting) Covered() bool {
	return !slices.ContainsFunc(p.covered, func(covered *bool) bool { return !*covered })
}

// Plan prepares transfers. Debits of available money must be covered. With
// force they are made whatever the balance is, for reversals of spent money and
// for late completions. Only force can overdraw an account.
func Plan(c Cause, force bool, transfers ...Transfer) *Posting {
	return plan(c, transfers, func(p *Posting, e effect) { p.debit(e, force) })
}

// ErrHeld says that another transaction has locked an account.
var ErrHeld = errors.New("the account is held by another transaction")

// Take prepares transfers for one round trip: the database itself refuses a
// debit of available money that the balance does not cover. Pending credits do
// not count. Short recognises the error. Each debit locks its account.
//
//rule:whether an account may owe
func Take(c Cause, transfers ...Transfer) (record []db.Query, debits []db.Lock) {
	p := plan(c, transfers, func(_ *Posting, e effect) {
		id := e.account.ID()
		take := db.Do((*db.Queries).AccountTake, db.AccountTakeParams{ID: id, Debit: e.amount.Neg()}).Held(ErrHeld)
		debits = append(debits, db.Locks(db.LocksAccount, id, take)...)
	})
	return p.Record, debits
}

// Short reports whether the error says that an account does not cover a debit.
func Short(err error) bool { return db.Violated(err) == "account_covered" }

// plan prepares the transfers, of which those between the same two accounts
// become one. Debits that lock go to debit, in the order of the accounts' ids,
// in which everybody locks. Every other effect is only noted, without a lock,
// and added to the balance later: so many payments can credit one account at
// the same time.
func plan(c Cause, transfers []Transfer, debit func(*Posting, effect)) *Posting {
	p := &Posting{}
	own := true
	for _, t := range net(transfers) {
		own = own && t.Debit.Owner == t.Credit.Owner && t.Debit.OwnerID == t.Credit.OwnerID
		p.Record = append(p.Record, db.Do((*db.Queries).TransferInsert, db.TransferInsertParams{
			DebitAccount: t.Debit.ID(), CreditAccount: t.Credit.ID(), Amount: t.Amount,
			Kind: c.Kind, Subject: c.Subject, SubjectID: c.SubjectID, CreatedAt: c.At,
		}))
	}
	var opened []db.Query
	for _, e := range effects(transfers) {
		if e.locks() {
			debit(p, e)
			continue
		}
		id := e.account.ID()
		p.Record = append(p.Record, db.Do((*db.Queries).AccountPendingInsert,
			db.AccountPendingInsertParams{AccountID: id, Amount: e.amount}))
		// Nobody would fold what waits for an account that was never
		// opened. The two of an owner are opened together, what is
		// taken was given before, and owner 0's are in the schema.
		if !own && e.amount.IsPositive() && e.account.OwnerID != 0 {
			opened = append(opened, db.Do((*db.Queries).AccountOpened, id))
		}
	}
	p.Record = append(p.Record, opened...)
	return p
}

// debit adds a debit: it locks the account, and then reads the balance with
// everything credited before.
func (p *Posting) debit(e effect, force bool) {
	covered := new(bool)
	p.covered = append(p.covered, covered)
	p.Debits = append(p.Debits, lockAndDebit(covered, e.account.ID(), e.amount.Neg(), force)...)
}

func lockAndDebit(covered *bool, account int64, amount decimal.Decimal, force bool) []db.Query {
	return []db.Query{
		db.Do((*db.Queries).AccountLock, account).Held(ErrHeld),
		db.Always(covered, (*db.Queries).AccountDebit, db.AccountDebitParams{ID: account, Debit: amount, Force: force}),
	}
}

// Post books transfers whose debits of available money must be covered. After
// ErrInsufficient nothing is booked; but if there are several such debits some
// may be made already, so the transaction must be rolled back.
func Post(ctx context.Context, q *db.Queries, c Cause, transfers ...Transfer) error {
	p := Plan(c, false, transfers...)
	if err := db.Run(ctx, q, p.Debits...); err != nil {
		return fmt.Errorf("debit for %s: %w", c.Kind, err)
	}
	if !p.Covered() {
		return ErrInsufficient
	}
	if err := db.Run(ctx, q, p.Record...); err != nil {
		return fmt.Errorf("post %s: %w", c.Kind, err)
	}
	return nil
}

// net combines all transfers between two accounts into one, or none if they
// cancel out.
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

// turned is the same transfer written in the other direction, with a negated
// amount.
func (t Transfer) turned() Transfer {
	return Transfer{Debit: t.Credit, Credit: t.Debit, Amount: t.Amount.Neg()}
}

// effect is the sum of what transfers do to an account.
type effect struct {
	account Account
	amount  decimal.Decimal
}

// locks reports whether the effect locks the account. Only debits of available
// money do.
func (e effect) locks() bool {
	return e.amount.IsNegative() && !e.account.Reserved && e.account.Owner != External
}

// effects are the sums of what transfers do to each account. They are in the
// order of account ids, in which every transaction locks accounts.
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
