-- name: RecoveryCodeInsert :exec
insert into recovery_code (user_id, hash) select @user_id, unnest(@hashes::bytea[]);

-- RecoveryCodeTake uses a code up. No row: it is none of the user's, or was used before.
-- name: RecoveryCodeTake :execrows
delete from recovery_code where user_id = @user_id and hash = @hash;

-- name: RecoveryCodeDeleteAll :exec
delete from recovery_code where user_id = @user_id;
