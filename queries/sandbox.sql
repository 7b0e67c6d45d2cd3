-- SandboxCashboxes lists what the sandbox's file tells of each key, in the order they were made.
-- name: SandboxCashboxes :many
select k.key_id, k.scopes, c.id as cashbox_id, c.trader_cashbox_id, c.currency, array(
    select m.method from cashbox_method m where m.cashbox_id = c.id and m.enabled order by m.method)::text[] as methods
from api_key k join cashbox c on c.id = k.cashbox_id
where k.key_id = any(@key_ids::text[]) order by k.id;

-- name: SandboxUsers :many
select id, kind, login, coalesce(trader_id, 0)::bigint as trader_id from app_user where login = any(@logins::text[]) order by id;

-- SandboxLegacyKeys lists keys that are bound to no cashbox, each with the first that its merchant has, or 0.
-- name: SandboxLegacyKeys :many
select k.key_id, coalesce((select min(c.id) from cashbox c where c.merchant_id = k.merchant_id), 0)::bigint as cashbox_id
from api_key k where k.key_id = any(@key_ids::text[]) order by k.id;

-- SandboxWebhookSecret is the newest secret that signs the webhooks of a cashbox, sealed.
-- name: SandboxWebhookSecret :one
select webhook_secret from cashbox where id = @id;

-- SandboxPhone finds the phone that a sandbox has paired for a trader, also one that is disconnected.
-- name: SandboxPhone :one
select id, revoked_at from bank_device where key_id = @key_id;

-- SandboxMessages has messages confirm the payments of a trader's requisites in a currency, each by the last digits of its value.
-- name: SandboxMessages :exec
insert into requisite_message (requisite_id, trader_id, device_id, bank, account, mode, most, since)
select r.id, r.trader_id, @device_id, @bank, r.last4, 'on', r.max_amount, @since::timestamptz from requisite r
where r.trader_id = @trader_id and r.currency = @currency and r.last4 ~ '^[0-9]{4}$'
on conflict (requisite_id) do nothing;

-- SandboxTransfer is what the bank writes of when a payer pays.
-- name: SandboxTransfer :one
select id, uuid, trader_id, currency, amount, requisite_last4 from payment where id = @id;
