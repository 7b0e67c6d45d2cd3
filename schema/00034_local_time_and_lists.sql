-- The local time of requisites. PostgreSQL takes its zones from the system, where an update may drop one that is in use:
-- then UTC stands in, since an error would fail the choice among all requisites of the pool.

-- +goose Up
-- +goose StatementBegin
create function local_time(zone text, at timestamptz) returns timestamp language plpgsql stable parallel safe as $$
begin
    return timezone(zone, at);
exception when invalid_parameter_value then
    return timezone('UTC', at);
end $$;
-- +goose StatementEnd

create function zone_known(zone text) returns boolean language sql stable as
    'select exists (select from pg_timezone_names where name = zone)';

-- What operators look through by a status or a key alone.
create index deposit_status_idx on deposit (status, id);
drop index deposit_pending_idx;
create index setting_change_key_idx on setting_change (subject_key, id);
