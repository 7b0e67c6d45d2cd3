-- SessionInsert begins a session. A token that is known already, as those of a sandbox are, is prolonged.
-- name: SessionInsert :exec
insert into session (hash, user_id, door, state, created_at, expires_at, seen_at, factor_at, agent, address)
values (@hash, @user_id, @door, @state, @created_at, @expires_at, @created_at, @factor_at, @agent, @address)
on conflict (hash) do update set expires_at = excluded.expires_at;

-- SessionFind reads the session of a token that came by a door. One in the browser ends when it was idle for too long, a trader's
-- who receives payments later than others.
-- name: SessionFind :one
select sqlc.embed(s), sqlc.embed(u),
    array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id)::bigint[] as merchant_ids,
    (select count(*) from passkey p where p.user_id = u.id) as passkeys,
    (select count(*) from recovery_code r where r.user_id = u.id) as recovery_codes
from session s join app_user u on u.id = s.user_id left join trader t on t.id = u.trader_id
where s.hash = @hash and s.door = @door and s.expires_at > @now and u.enabled
    and (s.door = 'api' or s.seen_at > case when not t.on_break then @desk_since::timestamptz else @idle_since::timestamptz end);

-- name: SessionList :many
select sqlc.embed(s), sqlc.embed(u),
    array(select c.merchant_id from cabinet_merchant c where c.user_id = u.id)::bigint[] as merchant_ids,
    (select count(*) from passkey p where p.user_id = u.id) as passkeys,
    (select count(*) from recovery_code r where r.user_id = u.id) as recovery_codes
from session s join app_user u on u.id = s.user_id left join trader t on t.id = u.trader_id
where s.user_id = @user_id and s.expires_at > @now
    and (s.door = 'api' or s.seen_at > case when not t.on_break then @desk_since::timestamptz else @idle_since::timestamptz end)
order by s.seen_at desc, s.id desc;

-- name: SessionSeen :exec
update session set seen_at = @now where id = @id and seen_at < @before;

-- SessionRenew gives a session another token, once its user has proved again who they are: the old token is dead. What
-- was a session only of a password is then a whole one, which lasts from the sign-in.
-- name: SessionRenew :execrows
update session set hash = @new_hash, state = @state, factor_at = coalesce(sqlc.narg(factor_at), factor_at),
    seen_at = @now, challenge = null, totp_pending = null,
    expires_at = case when state = 'whole' then expires_at else @expires_at end
where id = @id and hash = @hash and expires_at > @now;

-- SessionHolds reports whether a session has a token still.
-- name: SessionHolds :one
select exists (select from session where id = @id and hash = @hash);

-- name: SessionChallenge :execrows
update session set challenge = @challenge where id = @id and hash = @hash;

-- SessionTakeChallenge reads the challenge in progress and forgets it.
-- name: SessionTakeChallenge :one
with taken as (select t.id, t.challenge from session t where t.id = @id and t.hash = @hash for update)
update session s set challenge = null from taken where s.id = taken.id and taken.challenge is not null
returning taken.challenge;

-- name: SessionPendTOTP :execrows
update session set totp_pending = @totp_pending where id = @id and hash = @hash;

-- name: SessionPendingTOTP :one
select totp_pending from session where id = @id and hash = @hash;

-- SessionEnd ends a session. With it, and with all that are ended below, go the codes that link a chat to the user: whoever had the
-- session may have one.
-- name: SessionEnd :execrows
with codes as (
    delete from notify_code o where o.user_id = @user_id and o.channel_id is null
)
delete from session s where s.id = @id and s.user_id = @user_id;

-- name: SessionEndOthers :execrows
with codes as (
    delete from notify_code o where o.user_id = @user_id and o.channel_id is null
)
delete from session s where s.user_id = @user_id and s.id <> @except_id;

-- SessionEndUnenrolled ends the sessions that wait for a first factor: there is one now.
-- name: SessionEndUnenrolled :exec
delete from session where user_id = @user_id and id <> @except_id and state = 'awaits_enrolment';

-- name: SessionEndAll :exec
with codes as (
    delete from notify_code o where o.user_id = @user_id and o.channel_id is null
)
delete from session s where s.user_id = @user_id;

-- name: SessionPrune :exec
delete from session where expires_at < @now;

-- SessionView has a session look as another user. One that does already is left alone.
-- name: SessionView :execrows
update session set view_as = @view_as::bigint, view_until = @view_until::timestamptz, view_reason = @view_reason::text
where id = @id and hash = @hash and expires_at > @now and (view_until is null or view_until <= @now);

-- SessionEndView ends that a session looks as another user, where it still does, and tells what it was for.
-- name: SessionEndView :one
with viewing as (
    select s.id, s.view_as, s.view_until, s.view_reason from session s
    where s.id = @id and s.hash = @hash and s.view_until > @now for update)
update session s set view_as = null, view_until = null, view_reason = null from viewing v where s.id = v.id
returning v.view_as::bigint as view_as, v.view_until::timestamptz as view_until, v.view_reason::text as view_reason;
