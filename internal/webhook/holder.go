package webhook

import (
	"context"
	"fmt"

	"gateway.example/internal/db"
)

// holdersMost is how many events one transaction rewrites.
const holdersMost = 500

// NoteHolder stores that the event contains the card holder's name.
func (e Event) NoteHolder() db.Query {
	return db.Do((*db.Queries).WebhookHolderNote, db.WebhookHolderNoteParams{
		MerchantID: e.MerchantID, EventID: e.ID, PaymentID: e.SubjectID,
	})
}

// EraseHolders removes the names of card holders from settled events whose card
// is erased. An event that was not delivered yet keeps it.
func EraseHolders(ctx context.Context, pool db.Pool) error {
	for {
		erased, err := db.New(pool).WebhookHolderErase(ctx, holdersMost)
		if err != nil {
			return fmt.Errorf("erase card holders from events: %w", err)
		}
		if erased < holdersMost {
			return nil
		}
	}
}
