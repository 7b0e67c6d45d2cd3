-- CashboxesOwn lists a merchant's cashboxes.
-- name: CashboxesOwn :many
select id, name, currency, collect_enabled, webhook_secret <> ''::bytea as signs from cashbox
where merchant_id = @merchant_id order by id limit @most;
