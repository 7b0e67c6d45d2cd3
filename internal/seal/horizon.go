package seal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/fault"
)

// writersPause is the pause between two looks at open transactions.
const writersPause = 20 * time.Millisecond

var errWriterStays = errors.New("a transaction that moved money has been open for too long")

// writing lists the transactions that may have taken ids of transfers. Every
// transaction that inserts transfers takes this lock before it takes an id, and
// holds it until its end.
const writing = `select distinct virtualtransaction from pg_locks
	where locktype = 'relation' and relation = 'transfer'::regclass and mode = 'RowExclusiveLock'
		and database = (select oid from pg_database where datname = current_database())`

// lastForGood returns an id up to which no further transfer can appear. Ids
// grow in the order in which they are taken, but a transaction may commit its
// id later. So this reads the newest visible id, and then waits until all
// transactions have ended that may have taken a lower one by then. They release
// their locks after their end, and later transactions take higher ids.
func (s *Sealer) lastForGood(ctx context.Context) (int64, error) {
	last, err := s.q.LedgerNewestTransfer(ctx)
	if err != nil {
		return 0, fmt.Errorf("find the newest transfer: %w", err)
	}
	writers, err := s.writers(ctx)
	if err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(s.writersLeave); len(writers) > 0; {
		if time.Now().After(deadline) {
			return 0, errWriterStays
		}
		time.Sleep(writersPause)
		open, err := s.writers(ctx)
		if err != nil {
			return 0, err
		}
		writers = slices.DeleteFunc(writers, func(w string) bool { return !slices.Contains(open, w) })
	}
	return last, nil
}

func (s *Sealer) writers(ctx context.Context) ([]string, error) {
	rows, _ := s.pool.Query(ctx, writing) // the rows report its error
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return list, fault.Doing("find who moves money", err)
}
