-- name: MerchantInsert :one
insert into merchant (name, api_enabled, rate_percent, created_at)
values (@name, coalesce(sqlc.narg(api_enabled)::boolean, true), @rate_percent, @created_at) returning id;

-- MerchantSetting locks a merchant and reads its settings.
-- name: MerchantSetting :one
select to_jsonb(m)::jsonb from merchant m where m.id = @id for no key update;

-- name: MerchantUpdate :exec
update merchant set api_enabled = coalesce(sqlc.narg(api_enabled), api_enabled),
    rate_percent = case when @set_rate::boolean then sqlc.narg(rate_percent) else rate_percent end
where id = @id;
