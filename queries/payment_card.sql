-- CardPut stores the card of a payment, in place of one that came to nothing.
-- name: CardPut :exec
insert into payment_card (merchant_id, payment_id, cashbox_id, payer_user_id, brand, last4, pan, expiry, holder, created_at)
values (@merchant_id, @payment_id, @cashbox_id, @payer_user_id, @brand, @last4, @pan, @expiry, @holder, @created_at)
on conflict (merchant_id, payment_id) do update set brand = excluded.brand, last4 = excluded.last4, pan = excluded.pan,
    expiry = excluded.expiry, holder = excluded.holder, created_at = excluded.created_at, kept_until = null,
    payer_user_id = excluded.payer_user_id;

-- name: CardGet :one
select * from payment_card where merchant_id = @merchant_id and payment_id = @payment_id;

-- CardList reads the cards of several payments of one merchant.
-- name: CardList :many
select * from payment_card where merchant_id = any(@merchant_ids::bigint[]) and payment_id = any(@payment_ids::bigint[]);

-- CardErase erases a card but for its brand and last four digits.
-- name: CardErase :exec
update payment_card set pan = null, expiry = null, holder = null, kept_until = null
where merchant_id = @merchant_id and payment_id = @payment_id;

-- CardKeep keeps the card of a payer who may be known again; any other it erases.
-- name: CardKeep :exec
update payment_card set
    kept_until = case when payer_user_id is null or pan is null then null else @until::timestamptz end,
    pan = case when payer_user_id is null then null else pan end,
    expiry = case when payer_user_id is null then null else expiry end,
    holder = case when payer_user_id is null then null else holder end
where merchant_id = @merchant_id and payment_id = @payment_id;

-- CardSaved is the card a payer used last on a cashbox, if it is still kept.
-- name: CardSaved :one
select * from payment_card
where merchant_id = @merchant_id and cashbox_id = @cashbox_id and payer_user_id = @payer_user_id and kept_until > @now::timestamptz
order by payment_id desc limit 1;

-- CardForget erases the cards kept for a payer at a cashbox, and has those of their payments that are still being made not kept
-- later. It is one statement, so that a card that is kept just then is erased.
-- name: CardForget :exec
update payment_card c set pan = case when c.kept_until is null then c.pan end, expiry = case when c.kept_until is null then c.expiry end,
    holder = case when c.kept_until is null then c.holder end, kept_until = null, payer_user_id = null
where c.merchant_id = @merchant_id and c.cashbox_id = @cashbox_id and c.payer_user_id = @payer_user_id and c.payment_id in (
    select k.payment_id from payment_card k
    where k.merchant_id = @merchant_id and k.cashbox_id = @cashbox_id and k.payer_user_id = @payer_user_id and k.kept_until is not null
    union all
    select p.id from payment p where p.payer_user_id = @payer_user_id and p.merchant_id = @merchant_id and p.status = 'pending');

-- CardPrune erases cards whose time is over, and those a later one has replaced.
-- name: CardPrune :execrows
update payment_card c set pan = null, expiry = null, holder = null, kept_until = null
where c.kept_until is not null and (c.kept_until <= @now::timestamptz or exists (select 1 from payment_card later
    where later.merchant_id = c.merchant_id and later.cashbox_id = c.cashbox_id and later.payer_user_id = c.payer_user_id
      and later.kept_until is not null and later.payment_id > c.payment_id));
