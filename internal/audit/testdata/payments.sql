-- Seven payments in every position: 1 pending, 2 completed, 3 completed and waiting for a rate, 4 failed and appealed, and three in appeal:
-- 5 by a review, 6 since another amount came, 7 by the application. Each is worth 10 at spot: 8 to the merchant, 0.2 to
-- the trader, 1.8 to the platform, and so 9.8 to hold.
insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, callback_uri, status,
	status_at, expires_at, created_at, event_sequence, trader_id, base_rate, rate_source, rate_unavailable, markup_percent,
	trader_share_percent, hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt)
select 1, id, gen_random_uuid(), 1, 'order', 'sbp', 'RUB', 1000, 'https://shop.example/', status, at, at, at, sequence,
	1, 100, 'test', without_rate, 25, 2, 9.8, 8, 2, 0.2, 1.8
from (values (1, 'pending', 0, false), (2, 'completed', 1, false), (3, 'completed', 1, true), (4, 'failed', 1, false),
	(5, 'appeal', 1, false), (6, 'appeal', 1, false), (7, 'appeal', 1, false))
	as p (id, status, sequence, without_rate), (values ('2026-11-20 12:00Z'::timestamptz)) as now (at);
insert into payment_history (merchant_id, payment_id, at, actor, to_status)
select 1, id, created_at, 'key:1', 'pending' from payment order by id;
insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
select 1, id, created_at, case id when 5 then 'operator:1' when 6 then 'trader:1' else 'application' end, 'pending', status from payment where id > 1 order by id;
insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at)
select 1, gen_random_uuid(), 1, 'payment.status.updated', 'payment', id, 1, callback_uri, '{}', created_at
from payment where id > 1;
insert into settlement_due (merchant_id, payment_id, currency, since) values (1, 3, 'RUB', '2026-11-20 12:00Z');
insert into appeal (merchant_id, payment_id, reason, file_name, file_type, file_size, status, status_at, actor, created_at)
select 1, id, '', '', '', 1, case id when 4 then 'open' else 'in_review' end, created_at, 'key:1', created_at from payment where id in (4, 5);
update payment set received_amount = 900 where id = 6;
insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, actor, created_at, state, merchant_id, payment_id)
select 1, 1, 'RUB', 900, created_at, '', '', 'trader:1', created_at, 'kept', 1, id from payment where id = 6;
