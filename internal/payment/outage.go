package payment

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway.example/internal/db"
)

const (
	// serveEvery is how often the processes together store that one of them
	// is serving.
	serveEvery = 5 * time.Second
	// outageAfter is how long there must be no serving process before that
	// counts as an outage.
	outageAfter = 30 * time.Second
	// giveBackMost is how much time open payments get back at most.
	giveBackMost = time.Hour
)

// serve stores that a process is serving. During an outage nobody could pay, so
// open payments get that time back before any of them is expired; otherwise
// they would all expire at once. Processes that notice the same outage take
// turns, so that its time is given back once.
func (s *Service) serve(ctx context.Context) error {
	served, err := db.New(s.pool).ServingGap(ctx)
	if err != nil {
		return fmt.Errorf("look when a process served last: %w", err)
	}
	if !served.Never && served.Seconds < serveEvery.Seconds() {
		return nil
	}
	return db.InTx(ctx, s.pool, func(tx pgx.Tx, q *db.Queries) error {
		var seconds float64
		err := db.Pipeline(ctx, tx, db.WaitBriefly(), db.Get(&seconds, (*db.Queries).ServingGapLock))
		if err != nil {
			return fmt.Errorf("lock when a process served last: %w", err)
		}
		if gap := time.Duration(seconds * float64(time.Second)); gap > outageAfter && s.config.GiveBackOutages {
			if err := s.giveBack(ctx, q, gap); err != nil {
				return fmt.Errorf("give back the time of an outage: %w", err)
			}
		}
		return q.ServingNote(ctx)
	})
}

//rule:what payers get back of the time in which the gateway was away
func (s *Service) giveBack(ctx context.Context, q *db.Queries, gap time.Duration) error {
	now, back := s.clock.Now(), min(gap, giveBackMost).Round(time.Second)
	began := now.Add(-gap)
	given, err := q.PaymentsGiveBack(ctx, db.PaymentsGiveBackParams{
		Seconds: back.Seconds(), Since: began, Now: now,
		// Processes may have gone on making payments for a while after
		// the last note.
		CreatedBefore: began.Add(outageAfter),
		Detail:        stepJSON(StepDetail{Minutes: int(back.Round(time.Minute) / time.Minute)}),
	})
	if given > 0 {
		slog.WarnContext(ctx, "no process has served for a while: open payments get the time back",
			"outage", gap.String(), "given", back.String(), "payments", given)
	}
	return err
}
