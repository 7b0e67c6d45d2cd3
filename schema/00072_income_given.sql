-- The platform's income beside what it was earned on: what merchants and the platform got of a payment, whichever way its share went.

-- +goose Up

-- Where the platform bears a difference that is greater than its part of the spread, a completion takes from it and a reversal gives
-- back, so the kind of the transfer says which of the two it was. A payment that was settled for what came is worth that.
create or replace view income_moved as
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount as earned, 0::numeric(28, 8) as reversed,
    case when t.kind like '%-completed' then p.amount_usdt + p.spread_platform_usdt else -p.amount_usdt - p.spread_platform_usdt end as volume
from transfer t join payment p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount,
    case when t.kind like '%-completed' then p.amount_usdt + p.spread_platform_usdt else -p.amount_usdt - p.spread_platform_usdt end
from transfer t join payment p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount, 0::numeric(28, 8), p.frozen_usdt
from transfer t join payin p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payin'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount, -p.frozen_usdt
from transfer t join payin p on p.id = t.subject_id
where (t.debit_account >> 1) = 1 and t.debit_account = 2 and t.subject = 'payin'
union all
select t.created_at, t.subject, t.subject_id, case when w.cashbox_id is null then 0 else w.owner_id end, w.network, 'USDT',
    t.amount, 0::numeric(28, 8), w.amount
from transfer t join withdrawal w on w.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2
    and t.subject = 'withdrawal';
