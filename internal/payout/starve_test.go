package payout_test

import (
	"context"
	"testing"

	"gateway.example/internal/dbtest"
)

// One payout behind as many as a sweep takes that fail each time, or that somebody else has locked.
func TestExpiryStarvesNobody(t *testing.T) {
	t.Parallel()
	for name, rounds := range map[string]int{"failing": 2, "locked": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.create(t, b.merchant(t, "100", dbtest.MerchantOpts{}).Caller, request("1"))
			b.exec(t, `insert into payin select (jsonb_populate_record(p, jsonb_build_object('id', 100000 + n,
				'uuid', gen_random_uuid(), 'expires_at', p.expires_at - interval '1 minute'))).* from payin p, generate_series(1, 500) n`)
			if name == "locked" {
				_, err := beginBeside(
					t,
					b.DB,
				).Exec(context.Background(), "select from payin where id > 100000 for update")
				noError(t, err)
			} else {
				b.exec(
					t,
					`insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
					select merchant_id, overlay(gen_random_uuid()::text placing left(event_id_from(now())::text, 13) from 1)::uuid,
						cashbox_id, 'x', 'payin', id, 1, 'x', '', created_at from payin where id > 100000`,
				)
			}
			b.clock.Advance(day)
			for range rounds {
				_, _ = b.payouts.Expire(context.Background())
			}
			if n := b.count(t, "select count(*) from payin where status = 'expired'"); n != 1 {
				t.Errorf("%d expired, want 1", n)
			}
		})
	}
}
