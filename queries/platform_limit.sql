-- name: PlatformLimitList :many
select currency, min_amount, max_amount from platform_limit;

-- name: PlatformLimitSet :exec
insert into platform_limit (currency, min_amount, max_amount) values (@currency, @min_amount, @max_amount)
on conflict (currency) do update set min_amount = excluded.min_amount, max_amount = excluded.max_amount;

-- name: PlatformLimitSetting :one
select to_jsonb(l)::jsonb from platform_limit l where l.currency = @currency for no key update;

-- PlatformLimitSettings lists the limits, each as PlatformLimitSetting reads them.
-- name: PlatformLimitSettings :many
select to_jsonb(l)::jsonb as setting from platform_limit l order by l.currency;
