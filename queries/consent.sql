-- UserPlace reads what a user is, and of whom.
-- name: UserPlace :one
select kind, role, enabled, merchant_id, trader_id from app_user where id = @id;

-- FellowLock locks all users of a merchant or of a trader, so that of two changes at a time the second sees what the first has left.
-- name: FellowLock :many
select id from app_user
where merchant_id = sqlc.narg(merchant_id) or trader_id = sqlc.narg(trader_id) order by id for no key update;

-- FellowSettled reports whether a merchant or trader has anybody besides a user, or that user has come in already. 0 is a user to be made.
-- name: FellowSettled :one
select exists (select from app_user
    where (merchant_id = sqlc.narg(merchant_id) or trader_id = sqlc.narg(trader_id))
        and (id <> @id or password_hash is not null or set_up_at is not null));

-- ConsentOwners counts the owners of a merchant or trader, besides one user, who can sign in and were there before: no operator
-- has set them up since then.
-- name: ConsentOwners :one
select count(*) from app_user u
where (u.merchant_id = sqlc.narg(merchant_id) or u.trader_id = sqlc.narg(trader_id)) and u.id <> @besides
    and u.role = 'owner' and u.enabled and (u.set_up_at is null or u.set_up_at <= @before::timestamptz)
    and (u.password_hash is not null or exists (select from invitation i where i.user_id = u.id and i.expires_at > @now));

-- ConsentOwner reports whether a user is an owner who was there before.
-- name: ConsentOwner :one
select exists (select from app_user
    where id = @id and role = 'owner' and enabled and (set_up_at is null or set_up_at <= @before::timestamptz));

-- ConsentAwaited lists the users of a merchant or trader, besides one, who wait for an owner's answer.
-- name: ConsentAwaited :many
select id, login, role, set_up_at::timestamptz as since, awaits_until::timestamptz as until from app_user
where (merchant_id = sqlc.narg(merchant_id) or trader_id = sqlc.narg(trader_id))
    and id <> @besides and enabled and awaits_until > @now::timestamptz
order by id;

-- ConsentGive ends that a user waits, and ConsentRefuse switches them off besides.
-- name: ConsentGive :exec
update app_user set awaits_until = null where id = @id;

-- name: ConsentRefuse :exec
update app_user set awaits_until = null, enabled = false where id = @id;
