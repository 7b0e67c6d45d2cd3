package webhook

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"gateway.example/internal/db"
	"gateway.example/internal/testenv"
)

// What comes for an endpoint whose lease has run out, as during an outage of the database, is looked for, although the process
// that had the lease leaves at that moment and does not see yet what has come.
func TestLeavingMissesNothing(t *testing.T) {
	b := quiet(t)
	id := b.write(t, 1)[0]
	const host = "shop.example"
	b.Exec(t, `insert into webhook_endpoint (merchant_id, host, due_at, leased_until, holder)
		values ($1, $2, now() - interval '1 minute', now() - interval '1 minute', $3)`, b.merchant.ID, host, b.deliverer.holder)
	relaying := apart(t, b.URL)
	tx := must(relaying.Begin(t.Context()))(t)
	merchants, hosts := []int64{b.merchant.ID}, []string{host}
	noError(t, db.Pipeline(t.Context(), tx,
		db.Do((*db.Queries).WebhookDeliveryQueue, db.WebhookDeliveryQueueParams{
			MerchantIds: merchants, EventIds: []uuid.UUID{id}, Hosts: hosts,
		}),
		db.Do((*db.Queries).WebhookEndpointTell, db.WebhookEndpointTellParams{MerchantIds: merchants, Hosts: hosts}),
	))
	left := make(chan struct{})
	go func() {
		defer close(left)
		b.deliverer.visit(endpointKey{b.merchant.ID, host}, false).leave(context.WithoutCancel(t.Context()))
	}()
	looking := apart(t, b.URL)
	testenv.Until(t, "the process that leaves waits for the relay", func() bool {
		var waits bool
		noError(t, looking.QueryRow(t.Context(), `select exists (select from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock')`).Scan(&waits))
		return waits
	})
	noError(t, tx.Commit(t.Context()))
	<-left
	testenv.Want(t, b.Count(t, "select count(*) from webhook_endpoint where holder is null and due_at <= now()"), 1,
		"endpoints that are looked at now")
}
