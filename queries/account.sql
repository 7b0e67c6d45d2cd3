-- name: AccountInsert :exec
insert into account (id, owner_kind, owner_id, purpose) values (@id, @owner_kind, @owner_id, @purpose)
on conflict (id) do nothing;

-- name: AccountLock :exec
select id from account where id = @id for no key update;

-- AccountTake takes a debit off what stands in the balance, and clears what let that be negative: an account that does not cover
-- it violates account_covered.
-- name: AccountTake :exec
update account set balance = balance - @debit::numeric, overdrawn = false where id = @id;

-- AccountDebit takes the debit off where the account covers it or force is set. What is pending is folded in only where the
-- balance alone does not cover it, and by a debit of nothing. The caller holds the account's lock from a statement before:
-- locking and folding in one would miss credits.
-- name: AccountDebit :one
with folded as (
    delete from account_pending
    where account_id = @id and (select a.balance < @debit::numeric or @debit = 0 from account a where a.id = @id)
    returning amount
), standing as (
    select a.balance + coalesce((select sum(amount) from folded), 0) as amount from account a where a.id = @id
), debit as (
    select case when @force::boolean or standing.amount >= @debit::numeric then standing.amount - @debit::numeric
                else standing.amount end as balance,
           standing.amount >= @debit::numeric as covered
    from standing
)
update account set balance = debit.balance, overdrawn = (account.overdrawn or @force::boolean) and debit.balance < 0
from debit where account.id = @id
returning debit.covered::boolean;

-- name: AccountBalance :one
select (a.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = a.id), 0))::numeric as balance
from account a where a.id = @id;

-- name: AccountsToFold :many
select account_id from account_pending where account_id <> all(@without::bigint[])
group by account_id having count(*) > @over::bigint order by account_id limit @page;

-- name: AccountsOverdrawn :one
select count(*) from account where overdrawn;
