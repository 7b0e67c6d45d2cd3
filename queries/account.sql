-- AccountInsert opens an account, with nothing on it. Only here a balance gets its first row.
-- name: AccountInsert :exec
with opened as (
    insert into account (id, owner_kind, owner_id, purpose) values (@id, @owner_kind, @owner_id, @purpose)
    on conflict (id) do nothing returning id
)
insert into account_balance (account_id) select id from opened;

-- AccountLock locks an account's balance. That it asks for the newest version or a later one, as every query of a balance does,
-- spares the database the older ones; a later one is what another transaction makes of it meanwhile.
-- name: AccountLock :exec
select a.account_id from account_balance a
where a.account_id = @id and a.version >= (select max(b.version) from account_balance b where b.account_id = @id) for no key update;

-- AccountTake takes a debit off what stands in the balance, and clears what let that be negative: an account that does not cover
-- it violates account_covered.
-- name: AccountTake :exec
update account_balance a set balance = a.balance - @debit::numeric, overdrawn = false, version = a.version + 1
where a.account_id = @id and a.version >= (select max(b.version) from account_balance b where b.account_id = @id);

-- AccountDebit takes the debit off where the account covers it or force is set. What is pending is folded in only where the
-- balance alone does not cover it, and by a debit of nothing. The caller holds the account's lock from a statement before:
-- locking and folding in one would miss credits.
-- name: AccountDebit :one
with newest as (
    select b.account_id, b.version, b.balance from account_balance b where b.account_id = @id order by b.version desc limit 1
), folded as (
    delete from account_pending p
    where p.account_id = @id and (select balance < @debit::numeric or @debit = 0 from newest)
    returning amount
), standing as (
    select account_id, version, balance + coalesce((select sum(amount) from folded), 0) as amount from newest
), debit as (
    select account_id, version, case when @force::boolean or standing.amount >= @debit::numeric then standing.amount - @debit::numeric
                else standing.amount end as balance,
           standing.amount >= @debit::numeric as covered
    from standing
)
update account_balance b set balance = debit.balance, overdrawn = (b.overdrawn or @force::boolean) and debit.balance < 0,
    version = b.version + 1
from debit where b.account_id = debit.account_id and b.version = debit.version
returning debit.covered::boolean;

-- name: AccountBalance :one
select (b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0))::numeric as balance
from account_balance b where b.account_id = @id order by b.version desc limit 1;

-- name: AccountsToFold :many
select account_id from account_pending where account_id <> all(@without::bigint[])
group by account_id having count(*) > @over::bigint order by account_id limit @page;

-- name: AccountsOverdrawn :one
select count(*) from account_balance where overdrawn;
