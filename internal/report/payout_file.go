package report

import (
	"io"
	"time"

	"gateway.example/internal/payout"
)

// WriteFilePayouts writes what became of the payouts of a file as CSV, by its lines.
func WriteFilePayouts(w io.Writer, zone *time.Location, rows []payout.FilePayin) error {
	out := newTable(w, zone, "line", "order_id", "uuid", "status", "status_reason", "status_at", "method", "currency", "amount",
		"frozen_usdt", "address", "recipient", "proof_reference")
	for _, p := range rows {
		out.row(int64(p.Line), p.OrderID, p.UUID, string(p.Status), p.StatusReason, p.StatusAt, p.Method, p.Currency, fiat(p.Amount),
			usdt(&p.FrozenUSDT), p.AddressMask, p.Recipient, p.ProofReference)
	}
	return out.end()
}

// WriteFileFlaws writes what is wrong with the rows of a file as CSV, in the words that say makes.
func WriteFileFlaws(w io.Writer, flaws []payout.Flaw, say func(payout.Flaw) string) error {
	out := newTable(w, nil, "line", "field", "reason")
	for _, flaw := range flaws {
		out.row(int64(flaw.Line), flaw.Field, say(flaw))
	}
	return out.end()
}
