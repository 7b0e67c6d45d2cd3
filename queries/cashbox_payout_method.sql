-- CashboxForPayout finds the cashbox a payout is paid from: the key's own, or of an unbound key's merchant the first on
-- which the method is enabled.
-- name: CashboxForPayout :one
select c.id, coalesce(m.markup_percent, 0)::numeric as markup_percent, coalesce(m.validity_seconds, 0)::integer as validity_seconds,
       m.min_amount, m.max_amount, (c.currency = @currency)::boolean as currency_fits, coalesce(m.enabled, false)::boolean as method_enabled
from cashbox c left join cashbox_payout_method m on m.cashbox_id = c.id and m.method = @method
where c.merchant_id = @merchant_id
  and (c.id = sqlc.narg(cashbox_id) or sqlc.narg(cashbox_id) is null and m.enabled and c.currency = @currency)
order by c.id limit 1;

-- name: CashboxPayoutMethodSet :exec
insert into cashbox_payout_method (cashbox_id, method, enabled, markup_percent, validity_seconds, min_amount, max_amount)
values (@cashbox_id, @method, @enabled, @markup_percent, @validity_seconds, @min_amount, @max_amount)
on conflict (cashbox_id, method) do update set enabled = excluded.enabled, markup_percent = excluded.markup_percent,
    validity_seconds = excluded.validity_seconds, min_amount = excluded.min_amount, max_amount = excluded.max_amount;

-- name: CashboxPayoutMethodSetting :one
select to_jsonb(m)::jsonb from cashbox_payout_method m where m.cashbox_id = @cashbox_id and m.method = @method for no key update;

-- CashboxPayoutMethodList lists the methods by which a cashbox pays out, each with its settings.
-- name: CashboxPayoutMethodList :many
select to_jsonb(m)::jsonb as setting from cashbox_payout_method m where m.cashbox_id = @cashbox_id order by m.method;
