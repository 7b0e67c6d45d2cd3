// Package books reads accounts of the ledger for people: statements, what each
// owner has, what is on the networks, and the platform's income. It writes
// nothing but what days ended with, once they are over.
package books

import (
	"time"

	"gateway.example/internal/clock"
	"gateway.example/internal/db"
)

// byItself is the period of statements and income if the caller names no
// beginning.
const byItself = 30 * 24 * time.Hour

// Service reads the books.
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
