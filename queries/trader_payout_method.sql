-- TraderPayoutTerms reads the terms of a trader who can pay by the method. No row: they cannot. It locks the trader, so that
-- of payouts they take at the same time each counts those before it.
-- name: TraderPayoutTerms :one
select t.share_percent, t.max_open_payins from trader t join trader_payout_method m on m.trader_id = t.id
where t.id = @trader_id and t.enabled and m.enabled and m.currency = @currency and m.method = @method
for no key update of t;

-- name: TraderPayoutMethodSet :exec
insert into trader_payout_method (trader_id, currency, method, enabled) values (@trader_id, @currency, @method, @enabled)
on conflict (trader_id, currency, method) do update set enabled = excluded.enabled;

-- name: TraderPayoutMethodSetting :one
select to_jsonb(m)::jsonb from trader_payout_method m
where m.trader_id = @trader_id and m.currency = @currency and m.method = @method for no key update;

-- name: TraderShare :one
select share_percent from trader where id = @trader_id;

-- TraderPays tells whether a trader can pay by a method, and reads their share of the markup. No row: they cannot.
-- name: TraderPays :one
select t.share_percent from trader t join trader_payout_method m on m.trader_id = t.id
where t.id = @trader_id and t.enabled and m.enabled and m.currency = @currency and m.method = @method;

-- TraderPayoutMethodList lists the methods that a trader pays out by, each with its settings.
-- name: TraderPayoutMethodList :many
select to_jsonb(m)::jsonb as setting from trader_payout_method m where m.trader_id = @trader_id order by m.currency, m.method;
