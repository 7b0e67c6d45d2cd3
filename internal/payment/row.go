package payment

import "gateway.example/internal/db"

// FromRow is a payment as its row says, for those who read rows of their own choice.
func FromRow(row db.Payment) Payment { return fromRow(row) }
