-- Operators look at the portal as another user.

-- +goose Up
alter table session
    -- As whom the session's user looks at the portal, until when, and what for. Of a time that is over it still tells.
    add column view_as bigint references app_user,
    add column view_until timestamptz,
    add column view_reason text,
    add constraint session_view_whole check (num_nulls(view_as, view_until, view_reason) in (0, 3)),
    add constraint session_view_in_browser check (view_as is null or door = 'web' and state = 'whole');
