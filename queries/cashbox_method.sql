-- name: CashboxMethodsSince :many
select cashbox_id, method, enabled, margin_percent, validity_seconds, min_amount, max_amount, claim_seconds, cards,
    amount_policy, tolerance_percent, tolerance_amount, difference_to, late_seconds
from cashbox_method where version >= @version;

-- name: CashboxMethodSetting :one
select (to_jsonb(m) - 'version')::jsonb from cashbox_method m where m.cashbox_id = @cashbox_id and m.method = @method for no key update;

-- CashboxMethodList lists the methods of a cashbox, each with its settings as CashboxMethodSetting reads them.
-- name: CashboxMethodList :many
select (to_jsonb(m) - 'version')::jsonb as setting from cashbox_method m where m.cashbox_id = @cashbox_id order by m.method;
