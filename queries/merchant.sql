-- name: MerchantInsert :one
insert into merchant (name, api_enabled, rate_percent, created_at)
values (@name, coalesce(sqlc.narg(api_enabled)::boolean, true), @rate_percent, @created_at) returning id;

-- MerchantSetting locks a merchant and reads its settings.
-- name: MerchantSetting :one
select (to_jsonb(m) - 'version')::jsonb from merchant m where m.id = @id for no key update;

-- name: MerchantsSince :many
select id, api_enabled, max_open_payments from merchant where version >= @version;

-- MerchantOpenPayments counts a merchant's pending payments, no further than as many as there may be.
-- name: MerchantOpenPayments :one
select count(*)::integer from (select 1 from payment where merchant_id = @merchant_id and status = 'pending' limit @most) as open;

-- MerchantList lists merchants, the newest first, each with its settings as MerchantSetting reads them.
-- name: MerchantList :many
select m.id, (to_jsonb(m) - 'version')::jsonb as setting from merchant m
where m.id < @before_id
  and (sqlc.narg(id)::bigint is null or m.id = sqlc.narg(id))
  and (sqlc.narg(search)::text is null or strpos(lower(m.name), lower(sqlc.narg(search))) > 0 or m.id = sqlc.narg(search_id)::bigint)
  and (sqlc.narg(switched_on)::boolean is null or m.api_enabled = sqlc.narg(switched_on))
order by m.id desc limit @page;

-- name: MerchantIDs :many
select id from merchant order by id;
