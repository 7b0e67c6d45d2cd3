-- name: CashboxInsert :one
insert into cashbox (merchant_id, name, currency, trader_cashbox_id, webhook_secret, created_at)
values (@merchant_id, @name, @currency, @trader_cashbox_id, @webhook_secret, @created_at)
returning id;

-- name: CashboxSetWebhookSecret :exec
update cashbox set webhook_secret = @webhook_secret where id = @id;

-- name: CashboxesSince :many
select id, merchant_id, currency, collect_enabled, return_hosts, payer_events from cashbox where version >= @version;

-- CashboxWebhookSecret locks a merchant's cashbox and reads its sealed secret.
-- name: CashboxWebhookSecret :one
select webhook_secret from cashbox where id = @id and merchant_id = @merchant_id for no key update;

-- name: CashboxOwner :one
select c.merchant_id, c.collect_enabled, m.api_enabled, m.rate_percent
from cashbox c join merchant m on m.id = c.merchant_id where c.id = @id;

-- CashboxSetting locks a cashbox and reads its settings, its secrets left out, and of its logo the hash.
-- name: CashboxSetting :one
select (to_jsonb(c) - 'webhook_secret' - 'version' - 'page_logo')::jsonb from cashbox c where c.id = @id for no key update;

-- CashboxLook is what a hosted page shows of the shop behind it.
-- name: CashboxLook :one
select m.name, c.page_color, c.page_logo_hash, c.frame_origin, c.return_automatic
from cashbox c join merchant m on m.id = c.merchant_id where c.id = @id;

-- CashboxLogo is the logo that has a hash, whichever cashboxes have it.
-- name: CashboxLogo :one
select page_logo from cashbox where page_logo_hash = @hash::text limit 1;

-- CashboxesLooks are the looks of a merchant's cashboxes, or of one of them.
-- name: CashboxesLooks :many
select c.id, c.name, c.currency, c.page_color, c.page_logo_hash, c.frame_origin, c.return_hosts, c.payer_events,
    c.deposit_callback_uri, m.name as merchant
from cashbox c join merchant m on m.id = c.merchant_id
where c.merchant_id = @merchant_id and (sqlc.narg(id)::bigint is null or c.id = sqlc.narg(id))
order by c.id limit @most;

-- CashboxDepositCallback is where events of a cashbox's deposits go, null for nowhere.
-- name: CashboxDepositCallback :one
select deposit_callback_uri from cashbox where id = @id;

-- name: CashboxCurrency :one
select currency from cashbox where id = @id;

-- CashboxMerchantRate is the markup of the merchant whose cashbox it is, null for none.
-- name: CashboxMerchantRate :one
select m.rate_percent from cashbox c join merchant m on m.id = c.merchant_id where c.id = @id;

-- CashboxesOf lists a merchant's cashboxes.
-- name: CashboxesOf :many
select id, name, currency from cashbox where merchant_id = @merchant_id order by id;

-- CashboxList lists cashboxes, the newest first, each with its settings as CashboxSetting reads them.
-- name: CashboxList :many
select c.id, (to_jsonb(c) - 'webhook_secret' - 'version' - 'page_logo')::jsonb as setting, m.name as merchant_name
from cashbox c join merchant m on m.id = c.merchant_id
where c.id < @before_id
  and (sqlc.narg(id)::bigint is null or c.id = sqlc.narg(id))
  and (sqlc.narg(merchant_id)::bigint is null or c.merchant_id = sqlc.narg(merchant_id))
  and (sqlc.narg(trader_id)::bigint is null or c.trader_cashbox_id = sqlc.narg(trader_id))
  and (sqlc.narg(currency)::text is null or c.currency = sqlc.narg(currency))
  and (sqlc.narg(search)::text is null or strpos(lower(c.name), lower(sqlc.narg(search))) > 0
    or c.merchant_id in (select o.id from merchant o where strpos(lower(o.name), lower(sqlc.narg(search))) > 0) or c.id = sqlc.narg(search_id)::bigint)
  and (sqlc.narg(switched_on)::boolean is null or c.collect_enabled = sqlc.narg(switched_on))
order by c.id desc limit @page;
