-- name: WebhookSecretPreviousInsert :exec
insert into webhook_secret_previous (cashbox_id, secret, until) values (@cashbox_id, @secret, @until);

-- name: WebhookSecretPreviousPrune :exec
delete from webhook_secret_previous where cashbox_id = @cashbox_id and until <= @now;

-- WebhookSecretPreviousList lists until when each secret before a cashbox's newest signs, the oldest first.
-- name: WebhookSecretPreviousList :many
select until from webhook_secret_previous where cashbox_id = @cashbox_id order by until;
