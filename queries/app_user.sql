-- name: UserInsert :one
insert into app_user (kind, login, password_hash, merchant_id, trader_id, created_at)
values (@kind, @login, @password_hash, @merchant_id, @trader_id, @created_at)
returning id;

-- name: UserByLogin :one
select id, kind, password_hash, totp_secret from app_user where login = @login and enabled;

-- UserSetting locks a user and reads what may be known of him.
-- name: UserSetting :one
select (to_jsonb(u) - 'password_hash' - 'totp_secret')::jsonb from app_user u where u.id = @id for no key update;

-- name: UserUpdate :exec
update app_user set enabled = coalesce(sqlc.narg(enabled), enabled),
    password_hash = coalesce(sqlc.narg(password_hash), password_hash)
where id = @id;
