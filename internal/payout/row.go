package payout

import "gateway.example/internal/db"

// FromRow converts a row, for packages with queries of their own.
func FromRow(row db.Payin) Payin { return fromRow(row) }
