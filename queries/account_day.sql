-- AccountDayBefore is what an account had at the end of the last closed day before the given one on which it changed.
-- name: AccountDayBefore :one
select day, balance from account_day where account_id = @account_id and day < @day order by day desc limit 1;

-- AccountDayClose keeps what accounts had at the end of a day on which something was moved to or from them. Everything before the day
-- is kept already.
-- name: AccountDayClose :exec
with side as (
    select t.debit_account as account_id, -t.amount as amount from transfer t
    where (t.debit_account >> 1) = any(@owners::bigint[]) and t.created_at >= @from_at and t.created_at < @until_at
    union all
    select t.credit_account, t.amount from transfer t
    where (t.debit_account >> 1) = any(@owners::bigint[]) and (t.debit_account >> 1) = (t.credit_account >> 1)
      and t.created_at >= @from_at and t.created_at < @until_at
    union all
    select t.credit_account, t.amount from transfer t
    where (t.credit_account >> 1) = any(@owners::bigint[]) and (t.debit_account >> 1) <> (t.credit_account >> 1)
      and t.created_at >= @from_at and t.created_at < @until_at
), moved as (
    select account_id, sum(amount) as amount from side where account_id = any(@account_ids::bigint[]) group by account_id
)
insert into account_day (account_id, day, balance)
select moved.account_id, @day::date, moved.amount + coalesce((
    select d.balance from account_day d where d.account_id = moved.account_id and d.day < @day::date order by d.day desc limit 1
), 0)
from moved
on conflict do nothing;

-- name: AccountDayAccounts :many
select id from account where id > @past order by id limit @page;

-- name: AccountDayClosed :one
select day from account_day_closed;

-- AccountDaySetClosed says that a day is closed, unless a later one is.
-- name: AccountDaySetClosed :exec
insert into account_day_closed (day) values (@day)
on conflict (only_row) do update set day = greatest(account_day_closed.day, excluded.day);

-- TransferOldest is when the first transfer was made; no row if there is none.
-- name: TransferOldest :one
select min(created_at)::timestamptz as at from transfer having count(*) > 0;
