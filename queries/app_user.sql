-- name: UserInsert :one
insert into app_user (kind, login, password_hash, merchant_id, trader_id, created_at)
values (@kind, @login, @password_hash, @merchant_id, @trader_id, @created_at)
returning id;

-- name: UserByLogin :one
select id, kind, password_hash, totp_secret from app_user where login = @login and enabled;

-- UserSetting locks a user and reads what may be known of them.
-- name: UserSetting :one
select (to_jsonb(u) - 'password_hash' - 'totp_secret' || jsonb_build_object('merchant_ids',
    array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id order by c.merchant_id)))::jsonb
from app_user u where u.id = @id for no key update;

-- UserLink lets a cabinet user see merchants' payments.
-- name: UserLink :exec
insert into cabinet_merchant (user_id, merchant_id) select @user_id, unnest(@merchant_ids::bigint[]);

-- name: UserUpdate :exec
update app_user set enabled = coalesce(sqlc.narg(enabled), enabled),
    password_hash = coalesce(sqlc.narg(password_hash), password_hash)
where id = @id;
