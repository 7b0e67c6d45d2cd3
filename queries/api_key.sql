-- name: KeyInsert :one
insert into api_key (key_id, secret_hash, name, merchant_id, cashbox_id, scopes, created_at, expires_at, allowed_networks,
    payout_daily_limit)
values (@key_id, @secret_hash, @name, @merchant_id, @cashbox_id, @scopes, @created_at, @expires_at,
    coalesce(@allowed_networks::text[], '{}'), @payout_daily_limit)
returning id;

-- name: KeyGet :one
select k.id, k.secret_hash, k.merchant_id, k.cashbox_id, k.scopes, k.last_used_at, k.expires_at, k.allowed_networks,
       coalesce(m.api_enabled, false)::boolean as api_enabled, m.rate_percent as merchant_rate_percent
from api_key k left join merchant m on m.id = k.merchant_id
where k.key_id = @key_id and k.revoked_at is null;

-- name: KeyUsed :exec
update api_key set last_used_at = @now where id = @id and (last_used_at is null or last_used_at < @before);

-- name: KeyRevoke :exec
update api_key set revoked_at = @now where id = @id and revoked_at is null;

-- No row: the key is revoked.
-- name: KeyBind :one
update api_key set expires_at = @expires_at, allowed_networks = coalesce(@allowed_networks::text[], '{}'),
    payout_daily_limit = @payout_daily_limit
where id = @id and revoked_at is null
returning id;

-- CredentialList lists the keys of a cashbox, and the legacy ones of its merchant, the newest first.
-- name: CredentialList :many
select id, key_id, name, cashbox_id, scopes, created_at, last_used_at, revoked_at, expires_at, allowed_networks, payout_daily_limit
from api_key
where cashbox_id = @cashbox_id or (cashbox_id is null and merchant_id = @merchant_id)
order by id desc;

-- CredentialSetting locks a key that CredentialList lists, and reads what may be known of it.
-- name: CredentialSetting :one
select (to_jsonb(k) - 'secret_hash')::jsonb from api_key k
where k.id = @id and (k.cashbox_id = @cashbox_id or (k.cashbox_id is null and k.merchant_id = @merchant_id))
for no key update;

-- KeySecretList lists what proves the keys of a merchant, revoked ones too, the newest first.
-- name: KeySecretList :many
select key_id, secret_hash, revoked_at from api_key where merchant_id = @merchant_id order by id desc limit @most;

-- KeyWebhookSecretList lists the webhook secrets of a merchant's cashboxes, sealed.
-- name: KeyWebhookSecretList :many
select id, webhook_secret from cashbox
where merchant_id = @merchant_id and webhook_secret <> ''::bytea order by id limit @most;

-- name: KeyPayoutLimit :one
select payout_daily_limit from api_key where id = @id;

-- KeyPayoutAdd counts a payout against the limit of a key's day. No row: it would be exceeded.
-- name: KeyPayoutAdd :one
insert into key_payout_day as d (key_id, day, amount) values (@key_id, @day, @amount)
on conflict (key_id, day) do update set amount = d.amount + excluded.amount
where d.amount + excluded.amount <= @most
returning d.amount;
