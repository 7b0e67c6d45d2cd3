-- name: CashboxMethodSet :exec
insert into cashbox_method (cashbox_id, method, enabled, margin_percent, validity_seconds, min_amount, max_amount,
    claim_seconds, cards, amount_policy, tolerance_percent, tolerance_amount, difference_to,
    late_seconds)
values (@cashbox_id, @method, @enabled, @margin_percent, @validity_seconds, @min_amount, @max_amount,
    coalesce(sqlc.narg(claim_seconds)::integer, 900), coalesce(sqlc.narg(cards)::smallint, 3),
    coalesce(sqlc.narg(amount_policy)::text, 'exact'), @tolerance_percent, @tolerance_amount,
    coalesce(sqlc.narg(difference_to)::text, 'trader'), coalesce(sqlc.narg(late_seconds)::integer, 86400))
on conflict (cashbox_id, method) do update set enabled = excluded.enabled, margin_percent = excluded.margin_percent,
    validity_seconds = excluded.validity_seconds, min_amount = excluded.min_amount, max_amount = excluded.max_amount,
    claim_seconds = coalesce(sqlc.narg(claim_seconds)::integer, cashbox_method.claim_seconds),
    cards = coalesce(sqlc.narg(cards)::smallint, cashbox_method.cards),
    amount_policy = coalesce(sqlc.narg(amount_policy)::text, cashbox_method.amount_policy),
    tolerance_percent = case when @set_tolerance_percent::boolean then excluded.tolerance_percent
        else cashbox_method.tolerance_percent end,
    tolerance_amount = case when @set_tolerance_amount::boolean then excluded.tolerance_amount
        else cashbox_method.tolerance_amount end,
    difference_to = coalesce(sqlc.narg(difference_to)::text, cashbox_method.difference_to),
    late_seconds = coalesce(sqlc.narg(late_seconds)::integer, cashbox_method.late_seconds);

-- name: CashboxMethodsSince :many
select cashbox_id, method, enabled, margin_percent, validity_seconds, min_amount, max_amount, claim_seconds, cards,
    amount_policy, tolerance_percent, tolerance_amount, difference_to, late_seconds
from cashbox_method where version >= @version;

-- name: CashboxMethodSetting :one
select (to_jsonb(m) - 'version')::jsonb from cashbox_method m where m.cashbox_id = @cashbox_id and m.method = @method for no key update;

-- CashboxMethodList lists the methods of a cashbox, each with its settings as CashboxMethodSetting reads them.
-- name: CashboxMethodList :many
select (to_jsonb(m) - 'version')::jsonb as setting from cashbox_method m where m.cashbox_id = @cashbox_id order by m.method;
