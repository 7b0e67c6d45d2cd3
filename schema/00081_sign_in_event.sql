-- +goose Up
-- Who signed in or tried to, and from where. What is typed as a login that nobody has is not kept: it may be a password.
create table sign_in_event (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- 0 where nobody has the login.
    user_id bigint not null,
    door text not null check (door in ('api', 'web')),
    outcome text not null check (outcome in
        ('signed_in', 'awaits_factor', 'awaits_enrolment', 'factor_given', 'wrong_password', 'wrong_factor')),
    failed boolean not null generated always as (outcome in ('wrong_password', 'wrong_factor')) stored,
    address text not null,
    agent text not null
);
create index sign_in_event_at_idx on sign_in_event (at, id);
create index sign_in_event_failed_idx on sign_in_event (at, id) where failed;
create index sign_in_event_user_idx on sign_in_event (user_id, at, id);
-- Of a user and an outcome only so many are kept in an hour, which are counted by this.
create index sign_in_event_bound_idx on sign_in_event (user_id, outcome, at);

-- Nothing is changed, and nothing is removed before it is 400 days old.
-- +goose StatementBegin
create function sign_in_event_kept() returns trigger language plpgsql as $$
begin
    if old.at > now() - interval '400 days' then
        raise exception 'sign_in_event is kept for 400 days' using errcode = 'restrict_violation';
    end if;
    return old;
end $$;
-- +goose StatementEnd
create trigger sign_in_event_append_only before update or truncate on sign_in_event
    for each statement execute function append_only();
create trigger sign_in_event_kept before delete on sign_in_event
    for each row execute function sign_in_event_kept();

-- The log that operators read goes by time, by who made a change, and by what was changed.
create index setting_change_at_idx on setting_change (at, id);
create index setting_change_actor_at_idx on setting_change (actor, at, id);
create index setting_change_subject_at_idx on setting_change (subject, at, id);
create index setting_change_key_at_idx on setting_change (subject, subject_key, at, id);
