package ledger

import (
	"time"

	"github.com/shopspring/decimal"

	"gateway.example/internal/db"
)

// Position is where the money of a payment or payout is, expressed as the
// transfers that would bring it there from the beginning. The zero Position has
// no transfers.
type Position []Transfer

// Held is the position of an owner's money that is reserved.
func Held(owner Owner, id int64, amount decimal.Decimal) Position {
	return Position{{Debit: Available(owner, id), Credit: Reserved(owner, id), Amount: amount}}
}

// Share is the part that an owner gets.
type Share struct {
	To     Account
	Amount decimal.Decimal
}

// Given is the position of an owner's money that others got.
func Given(owner Owner, id int64, shares ...Share) Position {
	var p Position
	for _, share := range shares {
		p = append(p, Transfer{Debit: Available(owner, id), Credit: share.To, Amount: share.Amount})
	}
	return p
}

// To returns the transfers from one position to another: those of the old one
// reversed, and those of the new one.
func (p Position) To(to Position) []Transfer {
	way := append([]Transfer{}, to...)
	for _, t := range p {
		way = append(way, Transfer{Debit: t.Credit, Credit: t.Debit, Amount: t.Amount})
	}
	return way
}

// Move is a change of status with the positions before and after it.
type Move struct {
	Subject     string
	SubjectID   int64
	From, To    string
	Was, Stands Position
}

// Queries moves the money. The debits are forced, because any status may follow
// another, whatever was spent in between.
func (m Move) Queries(at time.Time) []db.Query {
	posting := m.Plan(at, true)
	return append(posting.Debits, posting.Record...)
}

// Plan is like Queries, but debits are forced only if force is set.
func (m Move) Plan(at time.Time, force bool) *Posting {
	cause := Cause{Kind: m.From + "-" + m.To, Subject: m.Subject, SubjectID: m.SubjectID, At: at}
	return Plan(cause, force, m.Was.To(m.Stands)...)
}
