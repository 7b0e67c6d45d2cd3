-- name: TraderInsert :one
insert into trader (name, rate_percent, share_percent, created_at)
values (@name, @rate_percent, @share_percent, @created_at) returning id;

-- TraderSetting locks a trader and reads his settings.
-- name: TraderSetting :one
select to_jsonb(t)::jsonb from trader t where t.id = @id for no key update;

-- TraderUpdate changes a trader. RequisiteFollowTrader must come after it.
-- name: TraderUpdate :exec
update trader set enabled = coalesce(sqlc.narg(enabled), enabled),
    rate_percent = case when @set_rate::boolean then sqlc.narg(rate_percent) else rate_percent end,
    share_percent = coalesce(sqlc.narg(share_percent), share_percent),
    max_open_payins = coalesce(sqlc.narg(max_open_payins), max_open_payins)
where id = @id;
