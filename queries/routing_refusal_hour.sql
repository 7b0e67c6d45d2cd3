-- RefusalHourAdd adds what one process has counted.
-- name: RefusalHourAdd :exec
insert into routing_refusal_hour as r (hour, merchant_id, currency, method, cause, refusals)
select unnest(@hours::timestamptz[]), unnest(@merchants::bigint[]), unnest(@currencies::text[]), unnest(@methods::text[]),
    unnest(@causes::text[]), unnest(@refusals::bigint[])
order by 1, 2, 3, 4, 5
on conflict (hour, merchant_id, currency, method, cause) do update set refusals = r.refusals + excluded.refusals;

-- name: RefusalHourPrune :exec
delete from routing_refusal_hour where hour < @before;

-- name: RefusalHourList :many
select r.hour, r.merchant_id, m.name as merchant, r.currency, r.method, r.cause, r.refusals
from routing_refusal_hour r join merchant m on m.id = r.merchant_id
where r.hour >= @since order by r.hour desc, r.refusals desc, r.merchant_id, r.currency, r.method, r.cause limit @page;
