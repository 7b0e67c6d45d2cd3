package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// purgeBatch is how many rows one transaction removes.
const purgeBatch = 100

// Purged is the receipt of one removed batch.
type Purged struct {
	Count int64 `json:"count"`
	// Bytes is the size of removed files.
	Bytes int64 `json:"bytes,omitempty"`
	// First and Last are the lowest and the highest removed id.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Before is the time that everything removed was older than.
	Before time.Time `json:"before"`
}

// Purge removes what is older than a time, in batches. remove removes the next
// batch, at most as many as it is told. Each batch leaves a receipt in the log
// of settings, in the same transaction.
func Purge(
	ctx context.Context, b Beginner, what string, now, before time.Time,
	remove func(q *Queries, most int32) (Purged, error),
) error {
	for ctx.Err() == nil {
		var gone Purged
		err := InTx(ctx, b, func(_ pgx.Tx, q *Queries) error {
			var err error
			if gone, err = remove(q, purgeBatch); err != nil || gone.Count == 0 {
				return err
			}
			gone.Before = before
			return recordPurge(ctx, q, what, now, gone)
		})
		if err != nil {
			return fmt.Errorf("purge %s: %w", what, err)
		}
		if gone.Count < purgeBatch {
			return nil
		}
	}
	return ctx.Err()
}

// recordPurge writes the receipt. The log of settings refuses to change or
// remove a line.
func recordPurge(ctx context.Context, q *Queries, what string, now time.Time, gone Purged) error {
	receipt, err := json.Marshal(gone)
	if err != nil {
		return err
	}
	return RecordSetting(ctx, q, SettingChange{
		At: now, Actor: "system", Subject: "purge", SubjectKey: what, After: receipt,
	})
}
