package webhook

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway.example/internal/db"
)

// holdersMost is how many events are written anew in one transaction.
const holdersMost = 500

// NoteHolder notes that the event names the holder of its payment's card.
func (e Event) NoteHolder() db.Query {
	return db.Do((*db.Queries).WebhookHolderNote, db.WebhookHolderNoteParams{
		MerchantID: e.MerchantID, EventID: e.ID, PaymentID: e.SubjectID,
	})
}

// EraseHolders takes the names of card holders out of events that are settled, once the card that they
// come from is erased. An event that has not been delivered yet still says what it has to say.
func EraseHolders(ctx context.Context, pool *pgxpool.Pool) error {
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
