-- Payouts in every status: 1 waiting, 2 processing, 3 completed, 4 failed, 5 cancelled, 6 expired, 7 failed by a reversal, 8
-- waiting again. Each freezes 10.2: 10.15 for the trader, 0.05 for the platform. Deposit 1 is pending, 2 confirmed, 3 rejected.
-- The cashbox insures 5. Trader 1 brought in 20 and took out 3.
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
values (1, 'in', 1, 20, '2026-11-20 12:00Z'), (2, 'out', 1, -3, '2026-11-20 12:00Z');
