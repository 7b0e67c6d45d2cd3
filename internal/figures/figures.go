// Package figures counts how payments went: by the hour and the day in which
// they were made, for merchants' and operators' first pages, and by trader and
// by processor. It writes nothing but the counts of hours, from the history of
// payments.
package figures

import (
	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

type Service struct {
	reads   db.Pool
	q       *db.Queries
	clock   clock.Clock
	replica *db.Replica
}

// New makes the service. Reads that decide nothing go to the replica if it is
// not nil.
func New(pools db.Pools, c clock.Clock, replica *db.Replica) *Service {
	return &Service{reads: pools.Reads, q: db.New(pools.Reads), clock: c, replica: replica}
}
