-- SettingVersion is raised by every change of what processes keep in memory. Another server that has it may have come to it by
-- other changes; when a server started tells it from another one.
-- name: SettingVersion :one
select version, pg_postmaster_start_time()::timestamptz as server_since from setting_version;

-- SettingTurn has those who would make the same setting wait for one another until the transaction ends.
-- name: SettingTurn :exec
select pg_advisory_xact_lock(hashtextextended('setting ' || @what::text, 0));

-- name: SettingChangeInsert :one
insert into setting_change (at, actor, subject, subject_key, before, after, reason)
values (@at, @actor, @subject, @subject_key, @before, @after, sqlc.narg(reason))
returning id;

-- name: SettingChangeList :many
select id, at, actor, subject, subject_key, before, after, reason from setting_change
where id < @before_id
  and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject) or subject = sqlc.narg(also)::text)
  and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
order by id desc limit @page;

-- SettingBefore is what a setting was before its first change since then.
-- name: SettingBefore :one
select before from setting_change
where subject = @subject and subject_key = @subject_key and at > @since and before is not null
order by id limit 1;
