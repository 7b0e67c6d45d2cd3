-- name: MerchantInsert :one
insert into merchant (name, api_enabled, rate_percent, created_at)
values (@name, coalesce(sqlc.narg(api_enabled)::boolean, true), @rate_percent, @created_at) returning id;

-- MerchantSetting locks a merchant and reads its settings.
-- name: MerchantSetting :one
select to_jsonb(m)::jsonb from merchant m where m.id = @id for no key update;

-- name: MerchantUpdate :exec
update merchant set api_enabled = coalesce(sqlc.narg(api_enabled), api_enabled),
    rate_percent = case when @set_rate::boolean then sqlc.narg(rate_percent) else rate_percent end,
    max_open_payments = coalesce(sqlc.narg(max_open_payments), max_open_payments)
where id = @id;

-- MerchantOpenPayments counts a merchant's pending payments, no further than as many as there may be.
-- name: MerchantOpenPayments :one
select m.max_open_payments,
    (select count(*) from (select from payment p where p.merchant_id = m.id and p.status = 'pending'
        limit m.max_open_payments) as open)::integer as open_payments
from merchant m where m.id = @merchant_id;
