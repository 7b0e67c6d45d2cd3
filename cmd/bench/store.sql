-- The first statement makes up payments: what varies of each, and the accounts it moves. The trader holds
-- spot less their share, which is what merchant and platform get in the end. UUIDs are of version
-- 7, in the order of time as the gateway's are. An account's id is its owner's, shifted: see
-- ledger.Account. The others write what it drew, a table each.
create temp table drawn on commit drop as
select $9::bigint as merchant_id, $2::bigint + n as id, $12::bigint + n as number,
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as uuid,
    'stored-' || ($2::bigint + n) as order_id, box, trader, url, at, amount, spot - profit as usdt, profit,
    own as spread_trader, profit - own as spread_platform,
    $6::bigint + (trader << 3) as trader_available, $6::bigint + (trader << 3) + 1 as trader_reserved,
    $7::bigint + (box << 3) as cashbox_available, $8::bigint as platform_available
from (
    select n, $5::text as url, ($3::bigint[])[1 + n % cardinality($3::bigint[])] as box,
        ($4::bigint[])[1 + n % cardinality($4::bigint[])] as trader,
        now() - interval '30 days' * (1 - n::float8 / $1::integer) as at, amount,
        spot, spot - div(amount * 1e8, 92.50 * 1.045) * 0.00000001 as profit, trunc(spot * 0.015, 8) as own
    from generate_series($10::integer, $11::integer - 1) n,
        lateral (select round((100 + 9900 * random() + n * 0)::numeric, 2) as amount) a,
        lateral (select div(amount * 1e8, 92.50) * 0.00000001 as spot) s
) drawn;

insert into payment_key (merchant_id, channel, order_id, payment_id) select merchant_id, 'sbp', order_id, id from drawn;

insert into payment (merchant_id, id, uuid, cashbox_id, order_id, method, currency, amount, description, callback_uri,
    payer_user_id, status, status_at, expires_at, created_at, event_sequence, trader_id, requisite_id, requisite_day, requisite_type,
    requisite_method, requisite_sealed, requisite_last4, requisite_holder, requisite_bank, base_rate, rate_source, rate_observed_at, rate_unavailable,
    markup_percent, markup_source, trader_share_percent, hold_usdt, amount_usdt, profit_usdt, spread_trader_usdt, spread_platform_usdt)
select merchant_id, id, uuid, box, order_id, 'sbp', 'RUB', amount, 'Order of the bench', url,
    'user-' || order_id, 'completed', at + interval '5 minutes', at + interval '15 minutes', at, 1, trader, 1, at::date, 'sbp',
    'sbp', (select sealed from requisite where id = 1), (select last4 from requisite where id = 1), 'Ivan P.', 'Sample Bank', 92.50, 'sandbox', at, false,
    4.5, 'cashbox_method', 1.5, usdt + spread_platform, usdt, profit, spread_trader, spread_platform from drawn;

insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
select merchant_id, id, at, 'key:1', null, 'pending' from drawn;

insert into payment_history (merchant_id, payment_id, at, actor, from_status, to_status)
select merchant_id, id, at + interval '5 minutes', 'trader:' || trader, 'pending', 'completed' from drawn;

insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
select debit, credit, m.amount, kind, 'payment', id, at + after from drawn, lateral (values
    (trader_available, trader_reserved, usdt + spread_platform, 'hold', interval '0'),
    (trader_reserved, trader_available, usdt + spread_platform, 'pending-completed', '5 minutes'),
    (trader_available, cashbox_available, usdt, 'pending-completed', '5 minutes'),
    (trader_available, platform_available, spread_platform, 'pending-completed', '5 minutes')
) m (debit, credit, amount, kind, after) where m.amount <> 0 order by at + after, id;

insert into webhook_event (merchant_id, id, cashbox_id, type, subject, subject_id, sequence, url, body, created_at, status, number)
select merchant_id, uuid, box, 'payment.status.updated', 'payment', id, 1, url,
    convert_to('{"type":"payment.status.updated","data":{"uuid":"' || uuid || '","orderId":"' || order_id ||
        '","status":"COMPLETED","amount":"' || amount || '","currency":"RUB"}}', 'UTF8'), at + interval '5 minutes', 'delivered', number from drawn;

-- What the accounts hold is not all folded in yet, so the sums wait beside it. Locking none,
-- chunks do not wait either.
insert into account_pending (account_id, amount)
select m.account_id, sum(m.amount) from drawn, lateral (values (trader_available, -usdt - spread_platform),
    (cashbox_available, usdt), (platform_available, spread_platform)) m (account_id, amount) group by 1;
