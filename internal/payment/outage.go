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
	// serveEvery is how often it is written that a process serves, by all together.
	serveEvery = 5 * time.Second
	// outageAfter is how long none has to have served for that to be an outage.
	outageAfter = 30 * time.Second
	// giveBackMost is how much of an outage open payments get back.
	giveBackMost = time.Hour
)

// serve notes that a process serves. Where none did for a while, nobody could pay: the payments that
// were open get that time back before any of them is judged, or they would all expire at once.
// Processes that find the same gap do it one after the other, so that it is given back once.
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

func (s *Service) giveBack(ctx context.Context, q *db.Queries, gap time.Duration) error {
	now, back := s.clock.Now(), min(gap, giveBackMost).Round(time.Second)
	began := now.Add(-gap)
	given, err := q.PaymentsGiveBack(ctx, db.PaymentsGiveBackParams{
		Seconds: back.Seconds(), Since: began, Now: now,
		// What was made until the end came, after it was last written that a process served.
		CreatedBefore: began.Add(outageAfter),
		Detail:        stepJSON(StepDetail{Minutes: int(back.Round(time.Minute) / time.Minute)}),
	})
	if given > 0 {
		slog.WarnContext(ctx, "no process has served for a while: open payments get the time back",
			"outage", gap.String(), "given", back.String(), "payments", given)
	}
	return err
}
