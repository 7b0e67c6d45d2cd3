-- What completed payments were settled for, in the counts of hours and in what income was earned on.

-- +goose Up

-- What a change to completed settled, where that is not the amount asked for. The payment itself forgets it when it changes again, and
-- the counts of hours take away what they added. Changes from before this have null: hours count them with what was asked.
alter table payment_history add column settled_amount numeric(14, 2);

-- A payment that is completed no more is worth again what was asked of it. So what a merchant got or gave back is read from the transfers
-- that went with the platform's: where that is not what was asked for is worth, it was settled for what came, and there is no difference.
-- 2 is the account of the platform, and accounts of cashboxes are those whose numbers have 4 of 6.
create or replace view income_moved as
select t.created_at, 'payment' as subject, t.subject_id, p.merchant_id, p.method, p.currency, t.earned, t.reversed,
    case when t.kind like '%-completed' then 1 else -1 end
        * (t.given + case when t.given = p.amount_usdt then p.spread_platform_usdt else t.earned + t.reversed end) as volume
from (
    select created_at, subject_id, kind, coalesce(sum(amount) filter (where credit_account = 2), 0)::numeric(28, 8) as earned,
        coalesce(sum(amount) filter (where debit_account = 2), 0)::numeric(28, 8) as reversed,
        coalesce(sum(amount) filter (where 4 in (debit_account & 6, credit_account & 6)), 0) as given
    from transfer
    where subject = 'payment' and (2 in (debit_account, credit_account) or 4 in (debit_account & 6, credit_account & 6))
    group by created_at, subject_id, kind having bool_or(2 in (debit_account, credit_account))
) t join payment p on p.id = t.subject_id
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
