-- name: PasskeyInsert :exec
insert into passkey (id, user_id, name, credential, created_at) values (@id, @user_id, @name, @credential, @created_at);

-- name: PasskeyList :many
select id, name, credential, created_at, used_at from passkey where user_id = @user_id order by created_at, id;

-- name: PasskeyCount :one
select count(*) from passkey where user_id = @user_id;

-- PasskeyUsed keeps the authenticator's new counter.
-- name: PasskeyUsed :execrows
update passkey set credential = @credential, used_at = @now where id = @id and user_id = @user_id;

-- name: PasskeyDelete :execrows
delete from passkey where id = @id and user_id = @user_id;

-- name: PasskeyDeleteAll :exec
delete from passkey where user_id = @user_id;
