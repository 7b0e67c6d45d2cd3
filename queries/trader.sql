-- name: TraderInsert :one
insert into trader (name, rate_percent, share_percent, created_at)
values (@name, @rate_percent, @share_percent, @created_at) returning id;

-- name: TradersSince :many
select id, enabled, on_break, rate_percent, share_percent from trader where version >= @version;

-- TraderSetting locks a trader and reads their settings.
-- name: TraderSetting :one
select (to_jsonb(t) - 'version')::jsonb from trader t where t.id = @id for no key update;

-- name: TraderOnBreak :one
select on_break from trader where id = @id;

-- name: TraderSetBreak :exec
update trader set on_break = @on_break where id = @id;

-- TraderList lists traders, the newest first, each with their settings as TraderSetting reads them.
-- name: TraderList :many
select t.id, (to_jsonb(t) - 'version')::jsonb as setting from trader t
where t.id < @before_id
  and (sqlc.narg(id)::bigint is null or t.id = sqlc.narg(id))
  and (sqlc.narg(search)::text is null or strpos(lower(t.name), lower(sqlc.narg(search))) > 0 or t.id = sqlc.narg(search_id)::bigint)
  and (sqlc.narg(switched_on)::boolean is null or t.enabled = sqlc.narg(switched_on))
order by t.id desc limit @page;

-- name: TraderHasPayments :one
select exists (select 1 from payment where trader_id = @trader_id);
