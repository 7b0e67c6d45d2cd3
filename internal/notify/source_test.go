package notify

import (
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/testenv"
)

// newOwner makes a merchant with a user who hears of everything in a chat.
func (b *bundle) newOwner(t *testing.T, chat string) int64 {
	t.Helper()
	who := caller.Caller{Kind: caller.MerchantPortal, Login: "owner-" + chat, Role: caller.Owner, MerchantID: b.NewMerchant(t, dbtest.MerchantOpts{}).ID}
	b.Get(t, &who.ID, `insert into app_user (kind, role, login, password_hash, merchant_id, created_at) values ('merchant_portal', 'owner', $1, 'x', $2, now())
		returning id`, who.Login, who.MerchantID)
	b.linked(t, who, chat)
	return who.MerchantID
}

// A payout is told when it begins to wait, and again when the trader who took it gives it back.
func TestPayoutGivenBack(t *testing.T) {
	far, b := byTelegram(t, "41")
	b.Exec(t, "insert into trader_payout_method (trader_id, currency, method) values ($1, 'RUB', 'sbp')", b.trader.ID)
	b.Exec(t, `insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, address_mask, recipient,
		status, status_at, expires_at, created_at, base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt)
		values (1, 1, gen_random_uuid(), 1, 'o', 'sbp', 'RUB', 100, '', '1234', 'x', 'waiting', $1, now(), $1, 100, 'x', now(), 5, 1, 1)`, b.clock.Now())
	want := []string{"A payout waits to be taken.\nhttps://portal.example/trader/payouts"}
	b.round(t)
	same(t, far.heard("41"), want, "told of a payout")
	b.clock.Advance(time.Hour)
	b.Exec(t, "update payin set status_at = $1", b.clock.Now())
	b.roundLater(t, "1 hour")
	same(t, far.heard("41"), want, "told of one that was given back")
	b.roundLater(t, "1 hour")
	same(t, far.heard("41"), nil, "told of it once more")
}

// An endpoint takes webhooks again once it has taken one: not when its events are sent again from the first try on, nor when they are
// given up. What could not be noted is told at the next look.
func TestEndpointFailsAndIsBack(t *testing.T) {
	far, b := byTelegram(t, "")
	merchant := b.newOwner(t, "31")
	look := func(what, told string) {
		t.Helper()
		b.clock.Advance(time.Minute)
		b.later(t, "1 hour")
		b.restart(t, "0") // each look is another process's
		b.round(t)
		var want []string
		if told != "" {
			want = []string{told + "\nhttps://portal.example/merchant/developers/webhooks"}
		}
		same(t, far.heard("31"), want, "told of an endpoint that "+what)
	}
	var failed string
	b.Get(t, &failed, `insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, number)
		values ($1, gen_random_uuid(), 1, 'x', 'payment', 1, 1, 'https://user@Shop.example:8443/hook?order=1', '{}', now(), 1) returning id::text`, merchant)
	b.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, attempts, round)
		values ($1, $2::uuid, 'shop.example:8443', 'infinity', 2, 0)`, merchant, failed)
	tried := func(event string, code int) {
		t.Helper()
		b.Exec(t, `insert into webhook_attempt (merchant_id, event_id, at, duration_ms, status_code) values ($1, $2::uuid, $3, 1, $4)`,
			merchant, event, b.clock.Now(), code)
	}
	look("works", "")
	b.Exec(t, "update webhook_delivery set attempts = 3")
	b.Exec(t, "alter table notice rename to away")
	clear(b.feed.next)
	testenv.Check(t, b.feed.Find(t.Context()) != nil, "a notice was kept nowhere")
	b.Exec(t, "alter table away rename to notice")
	look("fails", "An endpoint does not take webhooks.")
	b.Exec(t, "update webhook_delivery set attempts = 0")
	look("is tried from the first time on", "")
	tried(failed, 500)
	b.Exec(t, "update webhook_delivery set attempts = 3")
	look("fails on", "")
	b.Exec(t, "delete from webhook_delivery")
	b.Exec(t, "update webhook_event set status = 'dead'")
	look("was given up", "")

	var taken string
	b.Get(t, &taken, `insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, number, status)
		values ($1, gen_random_uuid(), 1, 'x', 'payment', 1, 2, 'https://other.example/', '{}', now(), 2, 'delivered') returning id::text`, merchant)
	tried(taken, 200)
	look("is not the one that took it", "")
	b.Exec(t, "update webhook_event set url = 'https://shop.example:8443/new' where number = 2")
	look("took one", "An endpoint takes webhooks again.")
	look("goes on", "")

	b.Exec(t, `insert into webhook_delivery (merchant_id, event_id, host, due_at, attempts, round)
		values ($1, $2::uuid, 'shop.example:8443', 'infinity', 3, 1)`, merchant, failed)
	b.clock.Advance(time.Hour)
	look("fails anew", "An endpoint does not take webhooks.")
	b.Exec(t, "update webhook_delivery set attempts = 0")
	look("took one only before", "")
	b.clock.Advance(2 * failureKept)
	look("nothing is sent to", "")
	testenv.Want(t, b.Count(t, "select count(*) from notify_standing"), 0, "failures that are kept")
}
