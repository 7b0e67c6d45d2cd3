package report

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/payment"
)

// Service answers what portals ask.
type Service struct {
	reads    *pgxpool.Pool
	q        *db.Queries
	clock    clock.Clock
	payments *payment.Service
	replica  *db.Replica
}

// ChangedFor is for how long lists are read Fresh after a change: longer than a replica may be late.
const ChangedFor = 2 * db.ReplicaLate

// Fresh has lists that are read with the context show all that was changed until now.
func Fresh(ctx context.Context) context.Context { return db.Fresh(ctx) }

// New makes the service. Payments decide whether a caller may see one of them. Lists that nothing is
// changed by are read from the replica, where it is not nil.
func New(pools db.Pools, c clock.Clock, payments *payment.Service, replica *db.Replica) *Service {
	return &Service{reads: pools.Reads, q: db.New(pools.Reads), clock: c, payments: payments, replica: replica}
}

// MayBeLate tells whether lists may be read from a replica.
func (s *Service) MayBeLate() bool { return s.replica != nil }
