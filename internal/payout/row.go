package payout

import "gateway.example/internal/db"

// FromRow is a payout as its row says, for those who read rows of their own choice.
func FromRow(row db.Payin) Payin { return fromRow(row) }
