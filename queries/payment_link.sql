-- name: PaymentLinkInsert :one
insert into payment_link (uuid, merchant_id, cashbox_id, title, description, amount, min_amount, max_amount, methods, max_payments,
    ends_at, return_url, callback_uri, created_at, created_by, proof)
values (@uuid, @merchant_id, @cashbox_id, @title, @description, @amount, @min_amount, @max_amount, @methods, @max_payments,
    @ends_at, @return_url, @callback_uri, @created_at, @created_by, @proof)
returning id;

-- PaymentLinkSetting locks a merchant's link and reads it as the log of settings has it.
-- name: PaymentLinkSetting :one
select (to_jsonb(l) - array['uuid', 'proof'])::jsonb from payment_link l where id = @id and merchant_id = @merchant_id for no key update;

-- PaymentLinkGet reads a link of a merchant, or of any where none is named.
-- name: PaymentLinkGet :one
select sqlc.embed(l), b.currency from payment_link l join cashbox b on b.id = l.cashbox_id
where l.id = @id and (sqlc.narg(merchant_id)::bigint is null or l.merchant_id = sqlc.narg(merchant_id));

-- PaymentLinkPictured reads a link of any merchant that has a picture.
-- name: PaymentLinkPictured :one
select * from payment_link where id = @id and picture_hash is not null;

-- PaymentLinkList lists links of a merchant, or of all where none is named, in the states that are asked for. Whether one is
-- used up is not known here: a link that may be is listed for either state.
-- name: PaymentLinkList :many
select sqlc.embed(l), b.currency from payment_link l join cashbox b on b.id = l.cashbox_id
where l.id < @before_id and (sqlc.narg(merchant_id)::bigint is null or l.merchant_id = sqlc.narg(merchant_id))
  and (coalesce(cardinality(@states::text[]), 0) = 0
    or case when l.closed_at is not null then 'closed' when l.ends_at <= @now::timestamptz then 'over'
        when l.max_payments is not null and 'used_up' = any(@states) then 'used_up' else 'open' end = any(@states))
  and (@part::text = '' or l.id::text = @part or position(lower(@part) in lower(l.title)) > 0)
order by l.id desc limit @page;

-- name: PaymentLinkClose :exec
update payment_link set closed_at = @closed_at::timestamptz where id = @id and merchant_id = @merchant_id and closed_at is null;

-- PaymentLinkUnproven lists links that were made before their proof was kept.
-- name: PaymentLinkUnproven :many
select id, uuid from payment_link where proof is null order by id limit @most;

-- name: PaymentLinkProve :exec
update payment_link l set proof = n.proof
from (select unnest(@ids::bigint[]) as id, unnest(@proofs::bytea[]) as proof) n where l.id = n.id and l.proof is null;

-- name: PaymentLinkPicture :exec
update payment_link set picture_hash = sqlc.narg(picture_hash) where id = @id and merchant_id = @merchant_id;

-- name: LinkPictureSet :exec
insert into link_picture (link_id, merchant_id, hash, content) values (@link_id, @merchant_id, @hash, @content)
on conflict (link_id) do update set hash = excluded.hash, content = excluded.content;

-- name: LinkPictureDrop :exec
delete from link_picture where link_id = @link_id and merchant_id = @merchant_id;

-- name: LinkPicture :one
select content from link_picture where link_id = @link_id and hash = @hash;

-- PaymentLinkOpen is what a payer's page shows of a link, and by what its payments are made.
-- name: PaymentLinkOpen :one
select sqlc.embed(l), m.rate_percent, m.api_enabled, b.currency
from payment_link l join merchant m on m.id = l.merchant_id join cashbox b on b.id = l.cashbox_id
where l.uuid = @uuid;

-- PaymentLinkLock has those who pay by a link at the same time wait for one another.
-- name: PaymentLinkLock :one
select closed_at, ends_at, max_payments from payment_link where id = @id for no key update;

-- LinkPlacesTaken counts the payments of links that came to something or may still, and those that are just being made. A
-- payment that is named is left out.
-- name: LinkPlacesTaken :many
select l.link_id, count(*) as taken from link_payment l
left join payment_key k on k.merchant_id = l.merchant_id and k.channel = l.method and k.order_id = l.order_id
left join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
where l.merchant_id = any(@merchant_ids::bigint[]) and l.link_id = any(@link_ids::bigint[])
  and (l.order_id, l.method) <> (@order_id::text, @method::text)
  and (p.status in ('pending', 'completed', 'appeal') or p.id is null and l.created_at > @since::timestamptz)
group by l.link_id;

-- LinkPaymentsOpen counts the payments of a link that wait for money, and those that are just being made. A payment that is named
-- is left out. It begins with what of the merchant waits, which is bounded, and not with all that ever came of the link.
-- name: LinkPaymentsOpen :one
select count(*) from (
    select l.order_id, l.method from payment p
    join link_payment l on l.merchant_id = p.merchant_id and l.order_id = p.order_id and l.method = p.method
    where p.merchant_id = @merchant_id and p.status = 'pending' and l.link_id = @link_id
    union all
    select l.order_id, l.method from link_payment l
    where l.merchant_id = @merchant_id and l.link_id = @link_id and l.created_at > @since::timestamptz and not exists (
        select from payment_key k where k.merchant_id = l.merchant_id and k.channel = l.method and k.order_id = l.order_id)
) o where (o.order_id, o.method) <> (@order_id::text, @method::text);

-- LinkPaymentHeld is the payment by a link under an order id that still waits for money.
-- name: LinkPaymentHeld :one
select p.uuid from link_payment l
join payment_key k on k.merchant_id = l.merchant_id and k.channel = l.method and k.order_id = l.order_id
join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
where l.merchant_id = @merchant_id and l.link_id = @link_id and l.order_id = any(@order_ids::text[]) and p.status = 'pending'
order by l.created_at desc limit 1;

-- name: LinkPaymentBegin :exec
insert into link_payment (merchant_id, link_id, order_id, method, created_at)
values (@merchant_id, @link_id, @order_id, @method, @created_at)
on conflict (merchant_id, link_id, order_id, method) do update set created_at = excluded.created_at;

-- LinkPaymentDrop gives the place of a payment back, unless the payment was made.
-- name: LinkPaymentDrop :exec
delete from link_payment l
where l.merchant_id = @merchant_id and l.link_id = @link_id and l.order_id = @order_id and l.method = @method and not exists (
    select from payment_key k where k.merchant_id = l.merchant_id and k.channel = l.method and k.order_id = l.order_id);

-- LinkSums are what came of a merchant's links, of each at most so many of the newest payments.
-- name: LinkSums :many
select l.id::bigint as link_id, s.payments, s.completed, s.amount::numeric as amount
from unnest(@ids::bigint[]) as l (id)
cross join lateral (
    select count(*) as payments, count(*) filter (where n.status = 'completed') as completed,
        coalesce(sum(n.came) filter (where n.status = 'completed'), 0) as amount
    from (
        select p.status, coalesce(p.settled_amount, p.amount) as came from link_payment lp
        join payment_key k on k.merchant_id = lp.merchant_id and k.channel = lp.method and k.order_id = lp.order_id
        join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
        where lp.merchant_id = @merchant_id and lp.link_id = l.id
        order by lp.created_at desc limit @most
    ) n
) s;

-- LinkPaymentList lists the newest payments of a link.
-- name: LinkPaymentList :many
select p.id, p.status, p.amount, p.currency, p.method, p.created_at from link_payment l
join payment_key k on k.merchant_id = l.merchant_id and k.channel = l.method and k.order_id = l.order_id
join payment p on p.merchant_id = k.merchant_id and p.id = k.payment_id
where l.merchant_id = @merchant_id and l.link_id = @link_id
order by l.created_at desc, p.id desc limit @page;

-- CashboxOfMerchant is the currency of a cashbox, if it is the merchant's.
-- name: CashboxOfMerchant :one
select currency from cashbox where id = @id and merchant_id = @merchant_id;
