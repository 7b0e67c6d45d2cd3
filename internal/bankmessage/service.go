// Package bankmessage reads what banks write to traders' phones, and confirms
// the payments that it proves. Messages with one-time codes are refused and
// never kept.
package bankmessage

import (
	"context"
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/vault"
)

// Actor is the actor of confirmations that a message makes without a person.
const Actor = "message"

var (
	errSignatureRequired = fault.New(fault.Unauthenticated, "signature_required", "The signature header is missing.")
	errInvalidSignature  = fault.New(fault.Forbidden, "invalid_signature", "The key, secret or signature is wrong.")
	errOneTimeCode       = fault.New(fault.Refused, "one_time_code", "The message has a one-time code. Nothing of it was kept.")
	// ErrDecided refuses a decision about a message that is decided
	// already.
	ErrDecided = fault.New(fault.Refused, "message_decided", "The message was decided already, or it is too late.")
	// ErrOtherAmount refuses to confirm a payment by a message about
	// another amount.
	ErrOtherAmount = fault.New(fault.Refused, "message_amount_differs", "The message is about another amount or currency.")
)

type Service struct {
	pools    db.Pools
	q        *db.Queries
	clock    clock.Clock
	vault    *vault.Vault
	payments *payment.Service
}

func New(pools db.Pools, c clock.Clock, v *vault.Vault, payments *payment.Service) *Service {
	return &Service{pools: pools, q: db.New(pools.Reads), clock: c, vault: v, payments: payments}
}

// Purge removes the texts of messages that are older than keep. What was read
// and done stays.
func (s *Service) Purge(ctx context.Context, keep time.Duration) error {
	now := s.clock.Now()
	before := now.Add(-keep)
	return db.Purge(ctx, s.pools.Calls, "bank_message", now, before, func(q *db.Queries, most int32) (db.Purged, error) {
		gone, err := q.BankMessagePurge(ctx, db.BankMessagePurgeParams{Before: before, Most: most})
		return db.Purged{Count: gone.Count, First: gone.First, Last: gone.Last}, err
	})
}

func textPlace(id int64) vault.Place {
	return vault.Place{Table: "bank_message", Column: "text", Row: id}
}

func secretPlace(id int64) vault.Place {
	return vault.Place{Table: "bank_device", Column: "secret", Row: id}
}
