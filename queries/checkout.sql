-- name: CheckoutGet :one
select * from checkout where merchant_id = @merchant_id and payment_id = @payment_id;

-- name: CheckoutList :many
select * from checkout where merchant_id = any(@merchant_ids::bigint[]) and payment_id = any(@payment_ids::bigint[]);

-- CheckoutPut writes where a checkout stands. The payment's row lock makes its writers one at a time.
-- name: CheckoutPut :exec
insert into checkout (merchant_id, payment_id, phase, code_asked, codes_rejected, resends, resent_by, resent_at,
                      last_error, attempt_id, attempt_over, declined)
values (@merchant_id, @payment_id, @phase, @code_asked, @codes_rejected, @resends, @resent_by, @resent_at,
        @last_error, @attempt_id, @attempt_over, @declined)
on conflict (merchant_id, payment_id) do update set phase = excluded.phase, code_asked = excluded.code_asked,
    codes_rejected = excluded.codes_rejected, resends = excluded.resends, resent_by = excluded.resent_by,
    resent_at = excluded.resent_at, last_error = excluded.last_error, attempt_id = excluded.attempt_id,
    attempt_over = excluded.attempt_over, declined = excluded.declined;

-- CheckoutStamps reads of each payment a text that changes with whatever its pages show. A payment's version is raised by every
-- change of it, and beside it stand its checkout and the last attempt at its card.
-- name: CheckoutStamps :many
select p.id, (p.version || ' ' || coalesce(c::text, '') || ' ' || coalesce(a.status, ''))::text as stamp
from (select unnest(@merchant_ids::bigint[]) as merchant_id, unnest(@payment_ids::bigint[]) as id) asked
join payment p on p.merchant_id = asked.merchant_id and p.id = asked.id
left join checkout c on c.merchant_id = p.merchant_id and c.payment_id = p.id
left join card_attempt a on a.merchant_id = c.merchant_id and a.id = c.attempt_id;

-- DeskStamps reads of traders numbers that change with whatever their desks show of payments: of their open payments, as many as
-- a desk shows, with their checkouts and receipts, and of the trader's row, which has the break. A payment's version is raised
-- by every change of it.
-- name: DeskStamps :many
select t.id, hashtextextended(t.version::text || ' ' || coalesce(desk.stamp, 0), 0)::bigint as stamp
from trader t
left join (
    select p.trader_id, bit_xor(hashtextextended(
        p.id || ' ' || p.version || ' ' || coalesce(c::text, '') || ' ' || (
            select count(*) from payment_receipt r where r.merchant_id = p.merchant_id and r.payment_id = p.id
        ), 0)) as stamp
    from payment p
    left join checkout c on c.merchant_id = p.merchant_id and c.payment_id = p.id
    where p.trader_id = any(@trader_ids::bigint[]) and p.status = 'pending'
    group by p.trader_id
) desk on desk.trader_id = t.id
where t.id = any(@trader_ids::bigint[]);
