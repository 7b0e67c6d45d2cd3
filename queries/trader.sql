-- name: TraderInsert :one
insert into trader (name, rate_percent, share_percent, created_at)
values (@name, @rate_percent, @share_percent, @created_at) returning id;

-- name: TradersSince :many
select id, enabled, on_break, rate_percent, share_percent from trader where version >= @version;

-- TraderSetting locks a trader and reads their settings.
-- name: TraderSetting :one
select (to_jsonb(t) - 'version')::jsonb from trader t where t.id = @id for no key update;

-- name: TraderUpdate :exec
update trader set enabled = coalesce(sqlc.narg(enabled), enabled),
    rate_percent = case when @set_rate::boolean then sqlc.narg(rate_percent) else rate_percent end,
    share_percent = coalesce(sqlc.narg(share_percent), share_percent),
    max_open_payins = coalesce(sqlc.narg(max_open_payins), max_open_payins)
where id = @id;

-- name: TraderOnBreak :one
select on_break from trader where id = @id;

-- name: TraderSetBreak :exec
update trader set on_break = @on_break where id = @id;
