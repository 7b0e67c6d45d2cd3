-- What income was earned on, also where a payment is first settled for what was asked and later for what came.

-- +goose Up

-- Whether a change settled what was asked is told by what that is worth at the payment's own rate, which stays. What the payment itself is
-- worth does not: once it was settled for what came, a difference that the platform had borne before counted as volume.
create or replace view income_moved as
select t.created_at, 'payment' as subject, t.subject_id, p.merchant_id, p.method, p.currency, t.earned, t.reversed,
    case when t.kind like '%-completed' then 1 else -1 end * case when t.given = asked.usdt
        then asked.spot - least(asked.spot - asked.usdt, trunc(asked.spot * p.trader_share_percent * 0.01, 8))
        else t.given + t.earned + t.reversed end as volume
from (
    select created_at, subject_id, kind, coalesce(sum(amount) filter (where credit_account = 2), 0)::numeric(28, 8) as earned,
        coalesce(sum(amount) filter (where debit_account = 2), 0)::numeric(28, 8) as reversed,
        coalesce(sum(amount) filter (where 4 in (debit_account & 6, credit_account & 6)), 0) as given
    from transfer
    where subject = 'payment' and (2 in (debit_account, credit_account) or 4 in (debit_account & 6, credit_account & 6))
    group by created_at, subject_id, kind having bool_or(2 in (debit_account, credit_account))
) t join payment p on p.id = t.subject_id
cross join lateral (values (div(p.amount * 1e8, p.base_rate) * 0.00000001,
    div(p.amount * 100 * 1e8, p.base_rate * (100 + p.markup_percent)) * 0.00000001)) asked (spot, usdt)
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

-- What closed days keep was reckoned in other ways by versions between releases. Version 0.1.0 kept none.
update income_day set volume = null where volume is not null;
