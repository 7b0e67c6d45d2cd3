package webhook_test

import (
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
	"gateway.example/internal/webhook"
)

// Names of holders are taken out of events that are settled, and nothing else: an order id that looks like the field stays.
func TestHoldersAreErased(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	bodies := []string{
		`{"data":{"orderId":"\"payerRequisites\":{\"cardLast4\":\"1111\",\"cardHolder\":\"X\"}","payerRequisites":{"cardLast4":"1111","cardHolder":"ANNA"}}}`,
		`{"data":{"payerRequisites":{"cardLast4":"1111"}}}`,
		`{"data":{"payerRequisites":{"cardLast4":"1111","cardHolder":"ANNA"}},"meta":{"sequence":3}}`,
	}
	d.Exec(t, `with e as (
			insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status)
			select 1, ('00000000-0000-7000-8000-00000000000' || place)::uuid, 1, 'payment.status.updated', 'payment', 7, place,
				'https://shop.example/', convert_to(body, 'UTF8'), now(), case place when 3 then 'pending' else 'dead' end
			from unnest($1::text[]) with ordinality as b (body, place) returning *
		)
		insert into webhook_holder (merchant_id, event_id, payment_id) select merchant_id, id, subject_id from e where sequence <> 2`,
		bodies)
	d.Exec(t, `insert into payment_card (merchant_id, payment_id, cashbox_id, brand, last4, created_at)
		values (1, 7, 1, 'visa', '1111', now())`)
	testenv.NoError(t, webhook.EraseHolders(t.Context(), d.Pool))
	for i, want := range []string{
		`{"data":{"orderId":"\"payerRequisites\":{\"cardLast4\":\"1111\",\"cardHolder\":\"X\"}","payerRequisites":{"cardLast4":"1111"}}}`,
		bodies[1], bodies[2],
	} {
		testenv.Want(t, d.Text(t, "select convert_from(body, 'UTF8') from webhook_event where sequence = $1", i+1), want, "a body")
	}
	testenv.Want(t, d.Count(t, "select count(*) from webhook_holder"), 1, "events that wait")
}
