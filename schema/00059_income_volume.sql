-- What the platform's income was earned on, so that it can be told as a share of it.

-- +goose Up
-- In USDT, less what was given back. Null where the day was closed before this was kept.
alter table income_day add column volume numeric(28, 8);

create or replace view income_moved as
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, t.amount as earned, 0::numeric(28, 8) as reversed,
    p.hold_usdt as volume
from transfer t join payment p on p.id = t.subject_id
where (t.credit_account >> 1) = 1 and (t.debit_account >> 1) <> (t.credit_account >> 1) and t.credit_account = 2 and t.subject = 'payment'
union all
select t.created_at, t.subject, t.subject_id, p.merchant_id, p.method, p.currency, 0::numeric(28, 8), t.amount, -p.hold_usdt
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
