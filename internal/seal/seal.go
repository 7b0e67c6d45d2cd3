package seal

import (
	"context"
	"time"

	"gateway.example/internal/attest"
	"gateway.example/internal/db"
	"gateway.example/internal/deposit"
	"gateway.example/internal/fault"
	"gateway.example/internal/payment"
	"gateway.example/internal/payout"
	"gateway.example/internal/withdrawal"
)

// Service makes proofs and shows pages.
type Service struct {
	q        *db.Queries
	services Services
}

// Services are the services that decide what a caller may see. Signer has the
// public keys.
type Services struct {
	Payments    *payment.Service
	Payouts     *payout.Service
	Deposits    *deposit.Service
	Withdrawals *withdrawal.Service
	Signer      *attest.Signer
}

func New(pools db.Pools, services Services) *Service {
	return &Service{db.New(pools.Reads), services}
}

// Age is how long ago the last sealed day ended, in seconds. Before the first
// sealed day, it counts from the beginning of the day of the first transfer;
// without transfers it is 0.
func Age(ctx context.Context, q *db.Queries, now time.Time) (int64, error) {
	since, err := q.LedgerFirstMade(ctx)
	if err != nil {
		return 0, db.IgnoreNoRows(err)
	}
	since = since.UTC().Truncate(day)
	last, err := q.LedgerPageLast(ctx)
	if db.IgnoreNoRows(err) != nil {
		return 0, err
	}
	if err == nil {
		since = last.Day.Add(day)
	}
	return int64(now.Sub(since).Seconds()), nil
}

func (s *Service) keys(ctx context.Context) (attest.Keys, error) {
	file, err := s.services.Signer.Published(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := attest.ParseKeys(file)
	return keys, fault.Doing("our own keys", err)
}
