package report

import (
	"context"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
	"gateway.example/internal/payment"
)

// Service answers the queries of the portals.
type Service struct {
	reads    db.Pool
	q        *db.Queries
	clock    clock.Clock
	payments *payment.Service
	replica  *db.Replica
}

// ChangedFor is how long lists are read with Fresh after a change. It is longer
// than the replica may lag behind.
const ChangedFor = 2 * db.ReplicaLate

// Fresh returns a context with which lists show everything that was changed
// until now.
func Fresh(ctx context.Context) context.Context { return db.Fresh(ctx) }

// New makes the service. Payments decides whether a caller may see a payment.
// Lists that only show something are read from the replica, if it is not nil.
func New(pools db.Pools, c clock.Clock, payments *payment.Service, replica *db.Replica) *Service {
	return &Service{reads: pools.Reads, q: db.New(pools.Reads), clock: c, payments: payments, replica: replica}
}

// MayBeLate reports whether lists may be read from a replica.
func (s *Service) MayBeLate() bool { return s.replica != nil }
