-- name: CashboxMethodSet :exec
insert into cashbox_method (cashbox_id, method, enabled, margin_percent, validity_seconds, min_amount, max_amount)
values (@cashbox_id, @method, @enabled, @margin_percent, @validity_seconds, @min_amount, @max_amount)
on conflict (cashbox_id, method) do update set enabled = excluded.enabled, margin_percent = excluded.margin_percent,
    validity_seconds = excluded.validity_seconds, min_amount = excluded.min_amount, max_amount = excluded.max_amount;

-- name: CashboxMethodsSince :many
select cashbox_id, method, enabled, margin_percent, validity_seconds, min_amount, max_amount
from cashbox_method where version >= @version;

-- name: CashboxMethodSetting :one
select (to_jsonb(m) - 'version')::jsonb from cashbox_method m where m.cashbox_id = @cashbox_id and m.method = @method for no key update;
