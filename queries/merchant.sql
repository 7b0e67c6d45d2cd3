-- name: MerchantInsert :one
insert into merchant (name, api_enabled, rate_percent, created_at)
values (@name, coalesce(sqlc.narg(api_enabled)::boolean, true), @rate_percent, @created_at) returning id;

-- MerchantSetting locks a merchant and reads its settings.
-- name: MerchantSetting :one
select (to_jsonb(m) - 'version')::jsonb from merchant m where m.id = @id for no key update;

-- name: MerchantUpdate :exec
update merchant set api_enabled = coalesce(sqlc.narg(api_enabled), api_enabled),
    rate_percent = case when @set_rate::boolean then sqlc.narg(rate_percent) else rate_percent end,
    max_open_payments = coalesce(sqlc.narg(max_open_payments), max_open_payments)
where id = @id;

-- name: MerchantsSince :many
select id, api_enabled, max_open_payments from merchant where version >= @version;

-- MerchantOpenPayments counts a merchant's pending payments, no further than as many as there may be.
-- name: MerchantOpenPayments :one
select count(*)::integer from (select from payment where merchant_id = @merchant_id and status = 'pending' limit @most) as open;
