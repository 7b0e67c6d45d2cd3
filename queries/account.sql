-- AccountInsert opens an account, with nothing on it. Only here a balance gets its first row.
-- name: AccountInsert :exec
with opened as (
    insert into account (id, owner_kind, owner_id, purpose) values (@id, @owner_kind, @owner_id, @purpose)
    on conflict (id) do nothing returning id
)
insert into account_balance (account_id) select id from opened;

-- AccountLock locks an account's balance. An account that is not there is a division by zero, as everywhere where a statement
-- has to find a row: the transaction fails, wherever its COMMIT stands. Here it is divided only where nothing was found, so
-- that it costs nothing else. That it asks for the newest version or a later one, as every query of a balance does,
-- spares the database the older ones; a later one is what another transaction makes of it meanwhile.
-- name: AccountLock :exec
select a.account_id from account_balance a
where a.account_id = @id and a.version >= coalesce((select max(b.version) from account_balance b where b.account_id = @id),
    (select 1 / count(*) from account_balance b where b.account_id = @id)) for no key update;

-- AccountTake takes a debit off what stands in the balance, and clears what let that be negative: an account that does not cover
-- it violates account_covered, and one that is not there is a division by zero.
-- name: AccountTake :exec
update account_balance a set balance = a.balance - @debit::numeric, overdrawn = false, version = a.version + 1
where a.account_id = @id and a.version >= coalesce((select max(b.version) from account_balance b where b.account_id = @id),
    (select 1 / count(*) from account_balance b where b.account_id = @id));

-- AccountDebit takes the debit off where the account covers it or force is set. What is pending is folded in only where the
-- balance alone does not cover it, and by a debit of nothing: from where account_fold says, which it moves on once a minute. The
-- caller holds the account's lock from a statement before: locking and folding in one would miss credits. It always answers:
-- what finds no account is a division by zero.
-- name: AccountDebit :one
with newest as (
    select b.account_id, b.version, b.balance from account_balance b where b.account_id = @id order by b.version desc limit 1
), folding as (
    select coalesce((select f.done_to from account_fold f where f.account_id = @id), 0)::bigint as done_to
    from newest where newest.balance < @debit::numeric or @debit = 0
), folded as (
    delete from account_pending p
    where p.account_id = @id and p.id > (select folding.done_to from folding)
    returning p.id, p.amount
), noted as (
    insert into account_fold as f (account_id, noted_to, noted_at)
    select @id, coalesce((select max(folded.id) from folded), 0), now() from folding
    where not exists (select 1 from account_fold lately where lately.account_id = @id and lately.noted_at >= now() - interval '1 minute')
    on conflict (account_id) do update
    set done_to = f.noted_to, noted_to = greatest(f.noted_to, excluded.noted_to), noted_at = excluded.noted_at
), standing as (
    select account_id, version, balance + coalesce((select sum(amount) from folded), 0) as amount from newest
), debit as (
    select account_id, version, case when @force::boolean or standing.amount >= @debit::numeric then standing.amount - @debit::numeric
                else standing.amount end as balance,
           standing.amount >= @debit::numeric as covered
    from standing
), taken as (
    update account_balance b set balance = debit.balance, overdrawn = (b.overdrawn or @force::boolean) and debit.balance < 0,
        version = b.version + 1
    from debit where b.account_id = @id and b.account_id = debit.account_id and b.version = debit.version
    returning debit.covered
)
select coalesce((select covered from taken), 1 / (select count(*) from taken) > 0)::boolean;

-- AccountFoldFromStart has the next fold pass by nothing.
-- name: AccountFoldFromStart :exec
update account_fold set done_to = 0, noted_to = 0 where account_id = @id and done_to > 0;

-- name: AccountBalance :one
select (b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0))::numeric as balance
from account_balance b where b.account_id = @id order by b.version desc limit 1;

-- AccountsToFold finds the accounts with many pending rows, and those where one came too late for where folds begin.
-- name: AccountsToFold :many
select p.account_id, (min(p.id) <= coalesce(max(f.done_to), 0))::boolean as late
from account_pending p left join account_fold f on f.account_id = p.account_id
where p.account_id <> all(@without::bigint[])
group by p.account_id having count(*) > @over::bigint or min(p.id) <= coalesce(max(f.done_to), 0)
order by p.account_id limit @page;

-- name: AccountsOverdrawn :one
select count(*) from account_balance where overdrawn;

-- AccountList lists owners with what they have, by the ids of their available accounts.
-- name: AccountList :many
with listed as (
    select a.id, a.owner_kind, a.owner_id from account a
    where a.id > @past and a.purpose = 'available'
        and (sqlc.narg(owner_kind)::text is null or a.owner_kind = sqlc.narg(owner_kind))
        and (sqlc.narg(owner_id)::bigint is null or a.owner_id = sqlc.narg(owner_id))
    order by a.id limit @page
), standing as (
    select b.account_id,
        b.balance + coalesce((select sum(p.amount) from account_pending p where p.account_id = b.account_id), 0) as amount
    from account_balance b where b.account_id in (select id from listed union all select id + 1 from listed)
)
select listed.id, listed.owner_kind, listed.owner_id, coalesce(t.name, c.name, '')::text as name, coalesce(m.name, '')::text as merchant,
    free.amount::numeric as available, held.amount::numeric as reserved
from listed
left join trader t on listed.owner_kind = 'trader' and t.id = listed.owner_id
left join cashbox c on listed.owner_kind = 'cashbox' and c.id = listed.owner_id
left join merchant m on m.id = c.merchant_id
join standing free on free.account_id = listed.id
join standing held on held.account_id = listed.id + 1
order by listed.id;
