package notify

import (
	"strings"
	"testing"
	"time"

	"gateway.example/internal/caller"
	"gateway.example/internal/dbtest"
	"gateway.example/internal/fault"
	"gateway.example/internal/testenv"
)

// newOther makes an owner of a merchant.
func (b *bundle) newOther(t *testing.T, login string, merchantID int64) caller.Caller {
	t.Helper()
	return b.joins(t, caller.Caller{Kind: caller.MerchantPortal, Login: login, Role: caller.Owner, MerchantID: merchantID})
}

// Who asks for it reads in the morning where they are how their yesterday was,
// once; others do not, and nobody before. Of 2000 RUB came 1900.25, which was
// settled. What waits for a rate is not credited yet.
func TestSummary(t *testing.T) {
	far, b := byTelegram(t, "")
	shop := b.NewMerchant(t, dbtest.MerchantOpts{})
	who, other := b.newOther(t, "shop-1", shop.ID), b.newOther(t, "shop-2", shop.ID)
	b.linked(t, who, "31")
	b.linked(t, other, "32")
	b.linked(t, b.newOther(t, "shop-3", shop.ID), "33")
	b.linked(t, b.newOther(t, "shop-4", shop.ID), "34")
	b.Exec(t, "update app_user set zone = 'Asia/Kolkata'") // half an hour from the others
	b.Exec(t, "update app_user set zone = 'Moon/Base' where login = 'shop-3'")
	b.Exec(t, "update app_user set role = 'support' where login = 'shop-4'")
	zone := testenv.Must(time.LoadLocation("Asia/Kolkata"))(t)
	now := b.clock.Now().In(zone)
	morning := time.Date(now.Year(), now.Month(), now.Day()+1, summaryFrom, 0, 0, 0, zone)
	midnight := morning.Add(-summaryFrom * time.Hour)
	b.pay(t, 1, 7)
	b.Exec(t, `update payment p set merchant_id = $1, status = n.status, currency = n.currency, amount = n.amount, received_amount = n.came,
		settled_amount = n.came, amount_usdt = 1.25, rate_unavailable = n.currency = 'KZT', created_at = $2::timestamptz - n.before
		from (values (1, 'RUB', 'completed', 1000.50, null, interval '1 minute'), (2, 'RUB', 'completed', 2000, 1900.25, '24 hours'),
		  (3, 'RUB', 'failed', 700, null, '1 hour'), (4, 'RUB', 'pending', 10, null, '1 hour'), (5, 'KZT', 'completed', 5, null, '1 hour'),
		  (6, 'RUB', 'completed', 9, null, '1441 minutes'), (7, 'RUB', 'completed', 9, null, '0')) n (id, currency, status, amount, came, before) where p.id = n.id`, shop.ID, midnight)
	testenv.NoError(t, b.feed.Find(t.Context()))
	far.Heard("31") // that the channels are there is told before
	told := func() []string {
		t.Helper()
		testenv.NoError(t, b.feed.Summaries(t.Context()))
		b.round(t)
		return far.Heard("31")
	}
	b.clock.Advance(morning.Add(-time.Minute).Sub(now))
	testenv.NoError(t, b.Set(t.Context(), who, Update{Choices: []Choice{{DailySummary, Telegram, true}}}))
	// Neither a zone that nobody knows, nor who hears of it no longer,
	// keeps others from theirs.
	b.Exec(t, "insert into notify_choice (user_id, kind, channel, wanted) select id, 'daily_summary', 'telegram', true from app_user where login in ('shop-3', 'shop-4')")
	same(t, told(), nil, "told before the morning")
	b.clock.Advance(time.Minute)
	text := midnight.Add(-1).Format(time.DateOnly) + ": payments 5, of them paid 3 (75 %). Volume: 2900.75 RUB, 5.00 KZT. Credited: 2.50000000 USDT."
	same(t, told(), []string{text + "\nhttps://portal.example/merchant"}, "told in the morning")
	b.clock.Advance(6 * time.Hour)
	same(t, told(), nil, "told again")
	testenv.Want(t, len(far.Heard("33")), 1, "summaries in a zone that nobody knows")
	testenv.Want(t, len(testenv.Must(b.feed.summaries(t.Context()))(t)), 0, "users who wait for a summary still")
	same(t, far.Heard("32"), nil, "told who has not asked")
}

// A merchant hears of a key that is used from a new address, a user of a
// channel that is added, and operators of alarms, by what is to be done.
func TestOfSecurityAndAlarms(t *testing.T) {
	far, b := byTelegram(t, "")
	b.alarms = map[string]Alarm{"rate_stale": {"/operator/manual/runbooks#when-a-rate-is-stale", false}, "appeals_waiting": {"/operator/appeals", true}}
	shop := b.NewMerchant(t, dbtest.MerchantOpts{})
	merchant, operator := b.newOther(t, "shop-1", shop.ID), b.joins(t, caller.Caller{Kind: caller.Operator, Login: "ops-1", Role: caller.Admin})
	b.linked(t, merchant, "41")
	b.linked(t, operator, "42")
	b.round(t)
	same(t, append(far.Heard("41"), far.Heard("42")...), nil, "told of the only channel")

	b.Exec(t, `insert into key_address (key_id, address, merchant_id, first_at, last_at)
		select k, a, $1, $2::timestamptz - at, $2 from (values ('old', '192.0.2.1', interval '2 days'), ('old', '192.0.2.2', '1 second'), ('old', '192.0.2.4', '2 seconds'),
		  ('new', '192.0.2.1', '1 hour'), ('new', '192.0.2.3', '1 second')) n (k, a, at)`, shop.ID, b.clock.Now())
	b.Exec(t, `insert into alarm_state (name, firing, since, checked_at) select n, true, $1, $1
		from unnest(array['rate_stale', 'appeals_waiting']) n on conflict (name) do update set firing = true, since = excluded.since`, b.clock.Now())
	b.linked(t, merchant, "43")
	b.round(t)
	heard := strings.Join(far.Heard("41"), "\n")
	for _, part := range []string{"The API key “old” is used from a new address.", "Another place was added where you are told."} {
		testenv.Want(t, strings.Count(heard, part), 1, "%q in %q", part, heard)
	}
	testenv.Check(t, !strings.Contains(strings.Join(far.Heard("43"), "\n"), "Another place"), "the new place is told of itself")
	var first int64
	b.Get(t, &first, "select min(id) from notify_channel where user_id = $1", merchant.ID)
	testenv.NoError(t, b.Remove(t.Context(), merchant, first))
	testenv.Want(t, len(testenv.Must(b.Own(t.Context(), merchant))(t).Lines), 1, "channels that are left")
	testenv.Want(t, b.Remove(t.Context(), merchant, first), error(fault.ErrNotFound), "a second removal")
	b.round(t)
	for _, chat := range []string{"41", "43"} {
		heard = strings.Join(far.Heard(chat), "\n")
		testenv.Check(t, strings.Contains(heard, "A place was removed where you are told."), "%s is told %q of the removal", chat, heard)
	}
	testenv.Want(t, b.Count(t, "select count(*) from notify_channel"), 2, "channels after the removal was told")
	heard = strings.Join(far.Heard("42"), "\n")
	for _, part := range []string{
		"An alarm fires.\nhttps://portal.example/operator/manual/runbooks#when-a-rate-is-stale", "Work has waited too long.\nhttps://portal.example/operator/appeals",
	} {
		testenv.Check(t, strings.Contains(heard, part), "an operator is told %q", heard)
	}
}

// Traders are told in the language that they chose, and whoever's language has
// no text, in English.
func TestKindsInMoreLanguages(t *testing.T) {
	about, _ := AboutOf(PaymentOpened)
	testenv.Want(t, about.In("tr").Of(1, ""), "Bir ödeme açık.", "one in Turkish")
	testenv.Want(t, about.In("tr").Of(3, ""), "3 ödeme açık.", "several in Turkish")
	for _, language := range []string{"", "en", "xx"} {
		testenv.Want(t, about.In(language).Of(3, ""), "3 payments are open.", "in a language of %q", language)
	}
}

// Who sees the money of a trader or of a merchant is told of an address that
// was added to their book, at once and once.
func TestAddressAdded(t *testing.T) {
	far, b := byTelegram(t, "61")
	for kind, owner := range map[string]int64{"trader": b.trader.ID, "merchant": b.newOwner(t, "62")} {
		b.Exec(t, `insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
			values ($1, $2, 'TRC20', 'T9yED5xMV5ARV98BexN97aLZ1UUq7eKSxm', 'x', 'x', $3, $3)`, kind, owner, b.clock.Now())
	}
	b.round(t)
	same(t, far.Heard("61"), []string{
		"An address for withdrawals was added. If this was not you, remove it.\nhttps://portal.example/trader/withdrawals/addresses",
	}, "told the trader")
	same(t, far.Heard("62"), []string{
		"An address for withdrawals was added. If none of you added it, remove it.\nhttps://portal.example/merchant/withdrawals/addresses",
	}, "told the merchant")
	b.roundLater(t, "1 hour")
	same(t, far.Heard("61"), nil, "told once more")
}

// Every user of a trader is told of a phone that was paired, once.
func TestPhonePaired(t *testing.T) {
	far, b := byTelegram(t, "61")
	b.Exec(t, `insert into bank_device (id, trader_id, name, key_id, secret, created_at) values (1, $1, 'Pixel', 'device-1', '', $2),
		(2, $1, 'Old', 'device-2', '', $2::timestamptz - interval '8 days')`, b.trader.ID, b.clock.Now())
	b.round(t)
	same(t, far.Heard("61"), []string{
		"A phone was paired for messages of banks. If this was not you, disconnect it.\nhttps://portal.example/trader/messages",
	}, "told the trader")
	b.roundLater(t, "1 hour")
	same(t, far.Heard("61"), nil, "told once more")
}

// newOwner makes a merchant with a user who hears of everything in a chat.
func (b *bundle) newOwner(t *testing.T, chat string) int64 {
	t.Helper()
	who := b.newOther(t, "owner-"+chat, b.NewMerchant(t, dbtest.MerchantOpts{}).ID)
	b.linked(t, who, chat)
	return who.MerchantID
}

// A payout is told when it begins to wait, and again when the trader who took
// it gives it back, but not to that trader, who may not take it again.
func TestPayoutGivenBack(t *testing.T) {
	far, b := byTelegram(t, "41")
	b.PaysBy(t, b.trader.ID, "sbp")
	b.Exec(t, `insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, address_mask, recipient,
		status, status_at, expires_at, created_at, base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt)
		values (1, 1, gen_random_uuid(), 1, 'o', 'sbp', 'RUB', 100, '', '1234', 'x', 'waiting', $1, now(), $1, 100, 'x', now(), 5, 1, 1)`, b.clock.Now())
	want := []string{"A payout waits to be taken.\nhttps://portal.example/trader/payouts"}
	b.round(t)
	same(t, far.Heard("41"), want, "told of a payout")
	b.clock.Advance(time.Hour)
	b.Exec(t, "update payin set status_at = $1", b.clock.Now())
	b.roundLater(t, "1 hour")
	same(t, far.Heard("41"), want, "told of one that was given back")
	b.roundLater(t, "1 hour")
	same(t, far.Heard("41"), nil, "told of it once more")
	b.clock.Advance(time.Hour)
	b.Exec(t, "insert into payin_take (trader_id, payin_id, at, given_back_at) values ($1, 1, $2, $2)", b.trader.ID, b.clock.Now())
	b.Exec(t, "update payin set status_at = $1", b.clock.Now())
	b.roundLater(t, "1 hour")
	same(t, far.Heard("41"), nil, "told of one that they gave back")
}

// A file makes thousands of payouts that begin to wait in one moment. Each
// trader who may take them is told of all.
func TestPayoutsOfAFile(t *testing.T) {
	far, b := byTelegram(t, "")
	first := b.trader
	chats := []string{"41", "42", "43"}
	for _, chat := range chats {
		b.trader = b.NewTrader(t, dbtest.TraderOpts{})
		b.PaysBy(t, b.trader.ID, "sbp")
		b.linked(t, b.newUser(t, "payer-"+chat), chat)
	}
	b.trader = first
	b.Exec(t, `insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, address_mask, recipient,
		status, status_at, expires_at, created_at, base_rate, rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt)
		select 1, n, gen_random_uuid(), 1, 'o', 'sbp', 'RUB', 100, '', '1234', 'x', 'waiting', $1, now(), $1, 100, 'x', now(), 5, 1, 1
		from generate_series(1, 2000) n`, b.clock.Now())
	b.round(t)
	for _, chat := range chats {
		same(t, far.Heard(chat), []string{"2000 payouts wait to be taken.\nhttps://portal.example/trader/payouts"}, "told in "+chat)
	}
}

// An endpoint takes webhooks again once it has taken one: not when its events
// are sent again from the first try on, nor when they are given up. What could
// not be noted is told at the next look.
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
		same(t, far.Heard("31"), want, "told of an endpoint that "+what)
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
