// Package ledger is the double-entry ledger in USDT: accounts of owners, and
// transfers between them. A transfer debits one account and credits another;
// none is ever changed or deleted.
package ledger

import (
	"context"
	"fmt"
	"strconv"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Owner is a kind of account owner.
type Owner int64

// The owners. External is the outside world: its balance is the negative of
// everything that came in.
const (
	External Owner = iota
	Platform
	Cashbox
	Trader
)

func (o Owner) String() string {
	return [...]string{"external", "platform", "cashbox", "trader"}[o]
}

// Of names an owner, such as "cashbox 7".
func (o Owner) Of(id int64) string { return o.String() + " " + strconv.FormatInt(id, 10) }

// Account is an owner's available or reserved USDT.
type Account struct {
	Owner    Owner
	OwnerID  int64
	Reserved bool
}

// Available is the account of an owner's money that is free to use.
func Available(owner Owner, id int64) Account { return Account{Owner: owner, OwnerID: id} }

// Reserved is the account of an owner's money that is held.
func Reserved(owner Owner, id int64) Account {
	return Account{Owner: owner, OwnerID: id, Reserved: true}
}

// ID computes the account's id, so that no query has to look it up.
func (a Account) ID() int64 {
	id := a.OwnerID<<3 | int64(a.Owner)<<1
	if a.Reserved {
		id |= 1
	}
	return id
}

func (a Account) purpose() string {
	if a.Reserved {
		return "reserved"
	}
	return "available"
}

// Open creates an owner's two accounts, if they do not exist.
func Open(ctx context.Context, q *db.Queries, owner Owner, id int64) error {
	for _, a := range []Account{Available(owner, id), Reserved(owner, id)} {
		err := q.AccountInsert(ctx, db.AccountInsertParams{
			ID: a.ID(), OwnerKind: owner.String(), OwnerID: id, Purpose: a.purpose(),
		})
		if err != nil {
			return fmt.Errorf("open %s account: %w", owner, err)
		}
	}
	return nil
}

// Balance reads an account's balance with pending credits, in one snapshot.
func Balance(ctx context.Context, q *db.Queries, a Account) (decimal.Decimal, error) {
	return q.AccountBalance(ctx, a.ID())
}

// AccountOf is the account with an id.
func AccountOf(id int64) Account {
	return Account{Owner: Owner(id >> 1 & 3), OwnerID: id >> 3, Reserved: id&1 == 1}
}

// OwnerNamed is the kind of owner with the name, if there is one.
func OwnerNamed(name string) (Owner, bool) {
	for _, o := range []Owner{External, Platform, Cashbox, Trader} {
		if o.String() == name {
			return o, true
		}
	}
	return External, false
}
