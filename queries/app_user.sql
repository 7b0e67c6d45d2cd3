-- name: UserInsert :one
insert into app_user (kind, role, login, password_hash, merchant_id, trader_id, created_at)
values (@kind, @role, @login, @password_hash, @merchant_id, @trader_id, @created_at)
returning id;

-- name: UserByLogin :one
select u.id, u.kind, u.password_hash, u.totp_secret, u.totp_step,
    exists (select from passkey p where p.user_id = u.id) as has_passkey
from app_user u where u.login = @login and u.enabled;

-- UserLock reads a user who may sign in, and keeps others from changing their factors meanwhile. Their passkeys are counted by a
-- statement of its own: one that waits for the lock would see those from before it waited.
-- name: UserLock :one
select id, kind, login, password_hash, totp_secret, totp_step, factor_locked_at
from app_user where id = @id and enabled for no key update;

-- UserSetting locks a user and reads what may be known of them.
-- name: UserSetting :one
select (to_jsonb(u) - 'password_hash' - 'totp_secret' - 'totp_step' - 'factor_failures' || jsonb_build_object(
    'merchant_ids', array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id order by c.merchant_id),
    'has_password', u.password_hash is not null,
    'has_totp', u.totp_secret is not null,
    'passkeys', (select count(*) from passkey p where p.user_id = u.id)))::jsonb
from app_user u where u.id = @id for no key update of u;

-- UserLink lets a cabinet user see merchants' payments.
-- name: UserLink :exec
insert into cabinet_merchant (user_id, merchant_id) select @user_id, unnest(@merchant_ids::bigint[]);

-- name: UserUpdate :exec
update app_user set enabled = coalesce(sqlc.narg(enabled), enabled),
    password_hash = coalesce(sqlc.narg(password_hash), password_hash),
    role = coalesce(sqlc.narg(role), role)
where id = @id;

-- name: UserSetPassword :exec
update app_user set password_hash = @password_hash where id = @id;

-- UserForget takes password and second factors from a user who lost them.
-- name: UserForget :exec
update app_user set password_hash = null, totp_secret = null, totp_step = null,
    factor_failures = 0, factor_locked_at = null
where id = @id;

-- UserTakeStep uses up a TOTP step. No row: it, or a later one, was used before.
-- name: UserTakeStep :execrows
update app_user set totp_step = @step::bigint where id = @id and coalesce(totp_step, 0) < @step::bigint;

-- UserFactorWrong counts a wrong code in a row of them, and locks the second factor after so many. It tells whether this one did.
-- name: UserFactorWrong :one
update app_user set factor_failures = factor_failures + 1,
    factor_locked_at = case when factor_failures + 1 >= @most::integer then coalesce(factor_locked_at, @now) else factor_locked_at end
where id = @id
returning (factor_failures = @most::integer)::boolean as locked;

-- UserFactorRight ends a row of wrong codes.
-- name: UserFactorRight :exec
update app_user set factor_failures = 0 where id = @id and factor_failures > 0;

-- UserFactorAnew ends a row of wrong codes, and that the second factor is locked for one: there are other codes now.
-- name: UserFactorAnew :exec
update app_user set factor_failures = 0, factor_locked_at = null where id = @id;

-- name: UserSetTOTP :exec
update app_user set totp_secret = @totp_secret, totp_step = @totp_step where id = @id;

-- name: UserSetPreferences :exec
update app_user set zone = @zone, language = sqlc.narg(language), theme = @theme, shortcuts = @shortcuts where id = @id;

-- UserViewed reads the user as whom somebody looks, as SessionFind reads that of a session. Nobody looks as an operator.
-- name: UserViewed :one
select sqlc.embed(u),
    array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id)::bigint[] as merchant_ids,
    (select count(*) from passkey p where p.user_id = u.id) as passkeys,
    (select count(*) from recovery_code r where r.user_id = u.id) as recovery_codes
from app_user u where u.id = @id and u.enabled and u.kind <> 'operator';

-- UserToView finds whom to look as by their id or login: no login is a number.
-- name: UserToView :one
select id from app_user
where (login = @named::text or id = sqlc.narg(id)) and enabled and kind <> 'operator';

-- UserList lists users, the newest first, each with what UserSetting reads of them and the sessions that they have open.
-- name: UserList :many
select u.id, (to_jsonb(u) - 'password_hash' - 'totp_secret' - 'totp_step' - 'factor_failures' || jsonb_build_object(
    'merchant_ids', array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id order by c.merchant_id),
    'has_password', u.password_hash is not null,
    'has_totp', u.totp_secret is not null,
    'passkeys', (select count(*) from passkey p where p.user_id = u.id)))::jsonb as setting,
    coalesce(m.name, t.name, '')::text as of_name,
    (select count(*) from session s where s.user_id = u.id and s.expires_at > @now)::integer as sessions,
    coalesce((select max(s.seen_at) from session s where s.user_id = u.id and s.expires_at > @now), 'epoch')::timestamptz as seen_at
from app_user u left join merchant m on m.id = u.merchant_id left join trader t on t.id = u.trader_id
where u.id < @before_id
  and (sqlc.narg(id)::bigint is null or u.id = sqlc.narg(id))
  and (sqlc.narg(kind)::text is null or u.kind = sqlc.narg(kind))
  and (sqlc.narg(merchant_id)::bigint is null or u.merchant_id = sqlc.narg(merchant_id))
  and (sqlc.narg(trader_id)::bigint is null or u.trader_id = sqlc.narg(trader_id))
  and (sqlc.narg(search)::text is null or strpos(lower(u.login), lower(sqlc.narg(search))) > 0 or u.id = sqlc.narg(search_id)::bigint)
  and (sqlc.narg(switched_on)::boolean is null or u.enabled = sqlc.narg(switched_on))
order by u.id desc limit @page;

-- UserLogins are the logins of users.
-- name: UserLogins :many
select id, login from app_user where id = any(@ids::bigint[]);

-- UserSetUpBy notes who set a user up, and until when a user of a merchant or trader waits for an owner's answer. Whoever keeps
-- their sign-in keeps who gave it to them.
-- name: UserSetUpBy :exec
update app_user set set_up_at = @at::timestamptz, awaits_until = sqlc.narg(until),
    set_up_by = case when @keeps::boolean then coalesce(set_up_by, @by::bigint) else @by::bigint end,
    set_up_alone = case when @keeps::boolean and set_up_by is not null then set_up_alone else @alone::boolean end
where id = @id;

-- OperatorSetUpAgain has an operator who was set up count as new from now on: they have taken up their invitation.
-- name: OperatorSetUpAgain :exec
update app_user set set_up_at = @at::timestamptz where id = @id and set_up_at is not null and kind = 'operator';
