-- name: TokenInsert :exec
insert into token (hash, user_id, created_at, expires_at) values (@hash, @user_id, @created_at, @expires_at)
on conflict (hash) do update set expires_at = excluded.expires_at;

-- name: TokenUser :one
select u.id, u.kind, u.login, u.merchant_id, u.trader_id,
    array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id)::bigint[] as merchant_ids
from token t join app_user u on u.id = t.user_id
where t.hash = @hash and t.expires_at > @now and u.enabled;

-- name: TokenPrune :execrows
delete from token where expires_at < @now;

-- name: TokenRevokeAll :execrows
delete from token where user_id = @user_id;
