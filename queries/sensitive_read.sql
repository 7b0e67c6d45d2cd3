-- name: SensitiveReadInsert :exec
insert into sensitive_read (at, user_id, login, subject, subject_key, what, request_id)
values (@at, @user_id, @login, @subject, @subject_key, @what, @request_id);

-- name: SensitiveReadList :many
select id, at, user_id, login, subject, subject_key, what, request_id from sensitive_read
where id < @before_id
  and (sqlc.narg(subject)::text is null or subject = sqlc.narg(subject))
  and (sqlc.narg(subject_key)::text is null or subject_key = sqlc.narg(subject_key))
  and (sqlc.narg(user_id)::bigint is null or user_id = sqlc.narg(user_id))
order by id desc limit @page;
