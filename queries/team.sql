-- TeamList lists the users of a merchant, with how many sessions they have open and when the last of those was used, and until when
-- they wait for an owner's answer.
-- name: TeamList :many
select u.id, u.login, u.role, u.enabled, u.created_at, (u.password_hash is not null)::boolean as has_password,
    (u.totp_secret is not null or exists (select from passkey p where p.user_id = u.id))::boolean as has_factor,
    (select count(*) from session s where s.user_id = u.id and s.expires_at > @now)::integer as sessions,
    coalesce((select max(s.seen_at) from session s where s.user_id = u.id and s.expires_at > @now), u.created_at)::timestamptz as seen_at,
    u.awaits_until
from app_user u
where u.merchant_id = @merchant_id and u.kind = 'merchant_portal'
order by u.enabled desc, u.login limit @most;

-- TeamLock locks the merchant's users who run the team, so that two changes at a time do not leave it without any.
-- name: TeamLock :many
select id from app_user
where merchant_id = @merchant_id and kind = 'merchant_portal' and role = 'owner' order by id for no key update;

-- TeamOwners counts the owners of a merchant who can sign in.
-- name: TeamOwners :one
select count(*) from app_user
where merchant_id = @merchant_id and kind = 'merchant_portal' and role = 'owner' and enabled and password_hash is not null;

-- TeamHas reports whether a user is in a merchant's team.
-- name: TeamHas :one
select exists (select from app_user where id = @id and merchant_id = @merchant_id and kind = 'merchant_portal');

-- TeamChanges lists what users of a merchant changed, and what operators changed of these users, the newest first. Which
-- operator it was it does not tell.
-- name: TeamChanges :many
select c.id, c.at, c.subject, c.subject_key, (c.before - array['set_up_by', 'set_up_alone'])::jsonb as before,
    (c.after - array['set_up_by', 'set_up_alone'])::jsonb as after,
    (case when c.actor like 'operator:%' then '' else u.login end)::text as login
from app_user u cross join lateral (
    (select s.id from setting_change s where s.actor = 'merchant_portal:' || u.id and s.id < @before_id
    order by s.id desc limit @page)
    union all
    (select s.id from setting_change s
    where s.subject_key = u.id::text and s.subject in ('app_user', 'token') and s.actor like 'operator:%' and s.id < @before_id
    order by s.id desc limit @page)
) as found join setting_change c on c.id = found.id
where u.merchant_id = @merchant_id and u.kind = 'merchant_portal'
order by c.id desc limit @page;

-- TeamSessions lists the sessions of a merchant's users, the last used first.
-- name: TeamSessions :many
select s.id, u.login, s.door, s.created_at, s.seen_at, s.agent, s.address
from session s join app_user u on u.id = s.user_id
where u.merchant_id = @merchant_id and u.kind = 'merchant_portal' and s.expires_at > @now
order by s.seen_at desc, s.id desc limit @most;
