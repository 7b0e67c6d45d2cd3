-- SubmissionClaim is one row for the first sending of a form, and none for others.
-- name: SubmissionClaim :execrows
insert into submission (token, user_id, created_at) values (@token, @user_id, @now)
on conflict (token) do nothing;

-- name: SubmissionEnd :exec
update submission set led_to = @led_to, said = @said where token = @token and user_id = @user_id;

-- name: SubmissionGet :one
select led_to, said from submission where token = @token and user_id = @user_id;

-- name: SubmissionForget :exec
delete from submission where token = @token and user_id = @user_id and led_to is null;

-- name: SubmissionPrune :execrows
delete from submission where created_at < @before;
