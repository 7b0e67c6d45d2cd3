package payoutfiles

import (
	"io"
	"time"

	"gateway.example/internal/export"
	"gateway.example/internal/payout"
)

// writePayouts writes the payouts of a file, with their status, as CSV in the
// order of its lines.
func writePayouts(w io.Writer, zone *time.Location, rows []payout.FilePayout) error {
	out := export.New(w, zone, "line", "order_id", "uuid", "status", "status_reason", "status_at", "method", "currency", "amount",
		"frozen_usdt", "address", "recipient", "proof_reference")
	for _, p := range rows {
		out.Row(int64(p.Line), p.OrderID, p.UUID, string(p.Status), p.StatusReason, p.StatusAt, p.Method, p.Currency, export.Fiat(p.Amount),
			export.USDT(&p.FrozenUSDT), p.AddressMask, p.Recipient, p.ProofReference)
	}
	return out.End()
}

// writeFlaws writes the flaws in the rows of a file as CSV, in the words of
// say.
func writeFlaws(w io.Writer, flaws []payout.Flaw, say func(payout.Flaw) string) error {
	out := export.New(w, nil, "line", "field", "reason")
	for _, flaw := range flaws {
		out.Row(int64(flaw.Line), flaw.Field, say(flaw))
	}
	return out.End()
}
