package audit_test

import (
	"testing"

	"gateway.example/internal/dbtest"
	"gateway.example/internal/ledger"
)

const (
	rulePayoutMoney    = "a payout's money stands where its status says"
	rulePayoutEvents   = "a payout's events and history run without gaps"
	ruleFrozen         = "a cashbox's reserved money is its open payouts and its insurance"
	ruleInsurance      = "a cashbox's insurance is what was moved for it"
	ruleDepositCredit  = "a deposit is credited once, exactly if it is confirmed"
	ruleDepositHistory = "a deposit's history runs without gaps"
	ruleFunding        = "a trader's funding is booked once"
)

// payouts are in every status, written by hand: 1 waiting, 2 processing, 3 completed, 4 failed, 5
// cancelled, 6 expired, 7 failed by a reversal, 8 waiting again. Each freezes 10.2: 10.15 for the
// trader, 0.05 for the platform. Deposit 1 is pending, 2 confirmed, 3 rejected. The cashbox insures
// 5. Trader 1 brought in 20 and took out 3.
const payouts = `
	insert into merchant (id, name, created_at) overriding system value values (1, 'Merchant', '2026-11-20 12:00Z');
	insert into cashbox (id, merchant_id, name, currency, webhook_secret, created_at, insurance_usdt)
	overriding system value values (1, 1, 'Shop', 'RUB', '', '2026-11-20 12:00Z', 5);
	insert into payin (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, address,
		address_mask, recipient, status, status_at, expires_at, created_at, event_sequence, trader_id, taken_at, base_rate,
		rate_source, rate_observed_at, markup_percent, spot_usdt, frozen_usdt, trader_share_percent, trader_usdt, platform_usdt)
	select 1, id, gen_random_uuid(), 1, 'order', 'sbp', 'RUB', 1000, 'https://shop.example/', '', '•••• 4567', 'Ivan Petrov',
		status, at, at, at, sequence, trader, case when trader is not null then at end, 100, 'test', at, 2, 10, 10.2,
		case when trader is not null then 1.5 end, case when trader is not null then 10.15 end,
		case when trader is not null then 0.05 end
	from (values (1, 'waiting', 0, null), (2, 'processing', 0, 1), (3, 'completed', 1, 1), (4, 'failed', 1, 1),
			(5, 'cancelled', 1, null), (6, 'expired', 1, null), (7, 'failed', 2, 1), (8, 'waiting', 0, null)) as p (id, status, sequence, trader),
		(values ('2026-11-20 12:00Z'::timestamptz)) as now (at);
	insert into payin_history (merchant_id, payin_id, at, actor, from_status, to_status)
	select 1, id, created_at, 'somebody', from_status, to_status from payin, (values
		(1, null, 'waiting'), (2, 'waiting', 'processing'), (3, 'processing', 'completed'), (4, 'processing', 'failed'),
		(5, 'waiting', 'cancelled'), (6, 'waiting', 'expired')) as move (number, from_status, to_status)
	where number = 1 or to_status = status and id < 7 or number = 2 and trader_id is not null
	order by number;
	insert into payin_history (merchant_id, payin_id, at, actor, from_status, to_status)
	select 1, id, '2026-11-20 12:00Z', 'somebody', from_status, to_status from (values
		(7, 'processing', 'completed'), (7, 'completed', 'failed'),
		(8, 'waiting', 'processing'), (8, 'processing', 'waiting')) as move (id, from_status, to_status);
	insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
	select 1, gen_random_uuid(), 1, 'payin.status.updated', 'payin', id, sequence, callback_uri, '{}', created_at
	from payin, generate_series(1, event_sequence) as sequence;
	insert into deposit (merchant_id, id, cashbox_id, status, amount, network, address, idempotency_key, created_at, status_at)
	select 1, id, 1, status, 7, 'TRC20', 'T', gen_random_uuid(), '2026-11-20 12:00Z', '2026-11-20 12:00Z'
	from (values (1, 'pending'), (2, 'confirmed'), (3, 'rejected')) as d (id, status);
	insert into deposit_history (merchant_id, deposit_id, at, actor, from_status, to_status)
	select 1, id, created_at, 'somebody', from_status, to_status from deposit, (values
		(1, null, 'pending'), (2, 'pending', 'confirmed'), (3, 'pending', 'rejected')) as move (number, from_status, to_status)
	where number = 1 or to_status = status order by number;
	insert into trader (id, name, share_percent, created_at) overriding system value
	select id, 'Trader', 0, '2026-11-20 12:00Z' from (values (1), (2)) as t (id);
	insert into trader_funding (id, reference, trader_id, amount, created_at) overriding system value
	values (1, 'in', 1, 20, '2026-11-20 12:00Z'), (2, 'out', 1, -3, '2026-11-20 12:00Z')`

// reserved is what the cashbox has frozen and insured.
var reserved = ledger.Reserved(ledger.Cashbox, 1)

func auditablePayouts(t *testing.T) bundle {
	t.Helper()
	b := setup(t)
	b.Exec(t, payouts)
	b.Fund(t, shop, "100")
	book := func(subject string, id int64, transfers ...ledger.Transfer) {
		t.Helper()
		check(t,
			b.postAbout(ledger.Cause{Kind: "test", Subject: subject, SubjectID: id, At: dbtest.Start}, transfers...))
	}
	for id := range int64(8) {
		book("payin", id+1, move(shop, reserved, "10.2"))
	}
	for _, id := range []int64{3, 7} {
		book("payin", id, move(reserved, trader, "10.15"), move(reserved, platform, "0.05"))
	}
	check(t, b.force(ledger.Cause{Kind: "test", Subject: "payin", SubjectID: 7, At: dbtest.Start},
		move(trader, shop, "10.15"), move(platform, shop, "0.05")))
	for id := int64(4); id <= 6; id++ {
		book("payin", id, move(reserved, shop, "10.2"))
	}
	book("deposit", 2, move(outside, shop, "7"))
	book("insurance", 1, move(shop, reserved, "5"))
	book("trader_funding", 1, move(outside, trader, "20"))
	book("trader_funding", 2, move(trader, outside, "3"))
	return b
}

// Each violates one invariant, behind the back of constraints and triggers. Account 0 is the world
// outside, 12 and 13 what the cashbox has available and reserved, 14 what the trader has.
var payoutBreakages = map[string]breakage{
	"trader credited another sum": {
		rulePayoutMoney,
		true,
		`alter table payin drop constraint if exists payin_divided; ` +
			`update payin set trader_usdt = trader_usdt + 0.00000001 where id = 3`,
	},
	"another trader credited":   {rulePayoutMoney, true, `update payin set trader_id = 2 where id = 3`},
	"paid from another cashbox": {rulePayoutMoney, true, `update payin set cashbox_id = 2 where id = 3`},
	"money of no payout":        {rulePayoutMoney, true, booked("payin", "999999", "14", "12", "1")},
	"unfrozen twice":            {rulePayoutMoney, true, booked("payin", "4", "14", "12", "10.2")},
	"reversed twice":            {rulePayoutMoney, true, booked("payin", "7", "14", "12", "10.15")},
	"reversed in part":          {rulePayoutMoney, true, booked("payin", "7", "12", "14", "0.00000001")},
	"reversed in name only": {
		rulePayoutMoney,
		true,
		`update payin set status = 'failed', event_sequence = 2 where id = 3; ` +
			`insert into payin_history (merchant_id, payin_id, at, actor, from_status, to_status) values (1, 3, now(), 'x', 'completed', 'failed'); ` +
			`insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
		 values (1, gen_random_uuid(), 1, 'x', 'payin', 3, 2, 'x', '', now())`,
	},
	"reversal not told": {
		rulePayoutEvents,
		true,
		`delete from webhook_event where subject = 'payin' and subject_id = 7 and sequence = 2; ` +
			`update payin set event_sequence = 1 where id = 7`,
	},
	"reversal not in the history": {
		rulePayoutEvents, true, `delete from payin_history where payin_id = 7 and from_status = 'completed'`,
	},
	"giving back not in the history": {
		rulePayoutEvents, true, `delete from payin_history where payin_id = 8 and from_status = 'processing'`,
	},
	"payout without a history": {rulePayoutEvents, true, `delete from payin_history where payin_id = 8`},
	"payout event lost": {
		rulePayoutEvents, true, `delete from webhook_event where subject = 'payin' and subject_id = 5`,
	},
	"payout event too many": {
		rulePayoutEvents, true, `update webhook_event set subject_id = 2 where subject = 'payin' and subject_id = 6`,
	},
	"payout event numbered wrong": {
		rulePayoutEvents, true, `update webhook_event set sequence = 2 where subject = 'payin' and subject_id = 3`,
	},
	"payout event not counted": {rulePayoutEvents, true, `update payin set event_sequence = 0 where id = 3`},
	"payout history lost": {
		rulePayoutEvents, true, `delete from payin_history where payin_id = 3 and to_status = 'processing'`,
	},
	"payout history tells otherwise": {
		rulePayoutEvents, true,
		`update payin_history set to_status = 'failed' where payin_id = 3 and to_status = 'completed'`,
	},
	"reserved for no payout": {ruleFrozen, false, booked("x", "1", "12", "13", "1")},
	"insurance nobody moved": {
		ruleInsurance, false, booked("x", "1", "12", "13", "1") + `; update cashbox set insurance_usdt = 6`,
	},
	"confirmed but not credited": {ruleDepositCredit, false, `update deposit set status = 'confirmed' where id = 1; ` +
		`insert into deposit_history (merchant_id, deposit_id, at, actor, from_status, to_status) values (1, 1, now(), 'x', 'pending', 'confirmed')`},
	"credited twice":              {ruleDepositCredit, true, booked("deposit", "2", "0", "12", "7")},
	"credited though rejected":    {ruleDepositCredit, true, booked("deposit", "3", "0", "12", "7")},
	"credited without a request":  {ruleDepositCredit, true, booked("deposit", "9", "0", "12", "7")},
	"credited another sum":        {ruleDepositCredit, true, `update deposit set amount = 8 where id = 2`},
	"credited to another cashbox": {ruleDepositCredit, true, `update deposit set cashbox_id = 2 where id = 2`},
	"funded but not booked": {
		ruleFunding,
		false,
		`insert into trader_funding (id, reference, trader_id, amount, created_at)
		overriding system value values (3, 'x', 1, 1, '2026-11-20 12:00Z')`,
	},
	"funded twice":            {ruleFunding, true, booked("trader_funding", "1", "0", "14", "20")},
	"withdrawn twice":         {ruleFunding, true, booked("trader_funding", "2", "14", "0", "3")},
	"funded without a record": {ruleFunding, true, booked("trader_funding", "9", "0", "14", "20")},
	"funded another sum":      {ruleFunding, true, `update trader_funding set amount = 21 where id = 1`},
	"another trader funded":   {ruleFunding, true, `update trader_funding set trader_id = 2 where id = 1`},
	"deposit history lost": {
		ruleDepositHistory, true, `delete from deposit_history where deposit_id = 2 and to_status = 'pending'`,
	},
	"deposit history tells otherwise": {
		ruleDepositHistory, true,
		`update deposit_history set to_status = 'rejected' where deposit_id = 2 and to_status = 'confirmed'`,
	},
}

func TestAuditFindsEachPayoutBreakage(t *testing.T) {
	auditablePayouts(t).wantFound(t, payoutBreakages)
}
