-- ArrivalInsert keeps money that came for a payment.
-- name: ArrivalInsert :exec
insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, message_id, actor, created_at, state,
    merchant_id, payment_id)
values (@trader_id, @requisite_id, @currency, @amount, @came_at, @payer, @note, sqlc.narg(message_id), @actor, @created_at, 'kept',
    @merchant_id::bigint, @payment_id::bigint);

-- ArrivalPut keeps money that came for no payment.
-- name: ArrivalPut :one
insert into arrival (trader_id, requisite_id, currency, amount, came_at, payer, note, message_id, actor, created_at, state)
values (@trader_id, @requisite_id, @currency, @amount, @came_at, @payer, @note, sqlc.narg(message_id), @actor, @created_at, 'free')
returning *;

-- ArrivalKeep has money that is free count towards a payment; it fails where it is not free any more.
-- name: ArrivalKeep :exec
with kept as (
    update arrival set state = 'kept', merchant_id = @merchant_id::bigint, payment_id = @payment_id::bigint
    where id = @id and state = 'free'
    returning id
)
select 1 / count(*) from kept;

-- ArrivalsFree frees what counts towards a payment that has ended unpaid.
-- name: ArrivalsFree :exec
update arrival set state = 'free' where payment_id = @payment_id::bigint and state = 'kept';

-- ArrivalsReturned notes that what came goes back to its payer.
-- name: ArrivalsReturned :exec
update arrival set state = 'returned', payin_uuid = @payin_uuid::uuid where payment_id = @payment_id::bigint and state = 'kept';

-- name: ArrivalLock :one
select * from arrival where id = @id and trader_id = @trader_id for no key update;

-- name: ArrivalsOfPayment :many
select * from arrival where payment_id = @payment_id::bigint order by id limit 100;

-- ArrivalPartsOf lists what came for some payments and counts towards them, or went back.
-- name: ArrivalPartsOf :many
select payment_id::bigint as payment_id, amount from arrival
where payment_id = any(@payment_ids::bigint[]) and state in ('kept', 'returned') order by id;

-- ArrivalsFitting lists the free money that may be a payment's: of its requisite, near its amount, from a time on; the nearest first.
-- name: ArrivalsFitting :many
select * from arrival
where state = 'free' and requisite_id = @requisite_id and amount between @least and @most and came_at >= @since::timestamptz
order by abs(amount - @amount::numeric), id limit 10;

-- ArrivalsAt tells when free money last came to requisites in amounts.
-- name: ArrivalsAt :many
select requisite_id, amount, max(came_at)::timestamptz as last_at from arrival
where state = 'free' and requisite_id = any(@requisites::bigint[]) and amount = any(@amounts::numeric[])
group by requisite_id, amount;

-- ArrivalsByHand lists where an amount came by the word of people, and not of a bank's message, since a time. It looks no further
-- than at the newest of what came to the trader.
-- name: ArrivalsByHand :many
with newest as (
    select * from arrival where trader_id = @trader_id order by id desc limit @most
)
select distinct requisite_id from newest
where message_id is null and currency = @currency and amount = @amount and created_at >= @since::timestamptz;

-- ArrivalStamps reads of traders numbers that change with what came to them last.
-- name: ArrivalStamps :many
select t.id::bigint as id, coalesce((
    select bit_xor(hashtextextended(a.id || ' ' || a.state, 0)) from (
        select id, state from arrival where trader_id = t.id order by id desc limit 50
    ) a
), 0)::bigint as stamp
from unnest(@trader_ids::bigint[]) as t (id);

-- ArrivalList lists a trader's money that belongs to no payment, the newest first.
-- name: ArrivalList :many
select * from arrival
where trader_id = @trader_id and id < @before_id and state = 'free'
  and (sqlc.narg(amount)::numeric is null or amount = sqlc.narg(amount))
  and (@words::text = '' or payer ilike '%' || @words || '%' or note ilike '%' || @words || '%')
order by id desc limit @page;
