-- ApiRequestInsert keeps requests. One whose merchant is 0 belongs to the merchant of the key that it names, or to nobody, and then is
-- left out.
-- name: ApiRequestInsert :execrows
insert into api_request (merchant_id, at, method, path, status, code, key_id, request_id, duration_us)
select case when r.merchant_id = 0 then k.merchant_id else r.merchant_id end,
    r.at, r.method, r.path, r.status, r.code, r.key_id, r.request_id, r.duration_us
from (
    select unnest(@merchant_ids::bigint[]) as merchant_id, unnest(@ats::timestamptz[]) as at, unnest(@methods::text[]) as method,
        unnest(@paths::text[]) as path, unnest(@statuses::smallint[]) as status, unnest(@codes::text[]) as code,
        unnest(@key_ids::text[]) as key_id, unnest(@request_ids::text[]) as request_id, unnest(@durations::bigint[]) as duration_us,
        unnest(@places::integer[]) as place
) r left join api_key k on r.merchant_id = 0 and k.key_id = r.key_id
where r.merchant_id <> 0 or k.merchant_id is not null
order by r.place;

-- KeyAddressPut notes from where keys were used. What was noted within a day is left as it is.
-- name: KeyAddressPut :exec
insert into key_address as k (key_id, address, merchant_id, first_at, last_at)
select n.key_id, n.address, n.merchant_id, @at::timestamptz, @at from (
    select unnest(@key_ids::text[]) as key_id, unnest(@addresses::text[]) as address, unnest(@merchant_ids::bigint[]) as merchant_id
) n order by n.key_id, n.address
on conflict (key_id, address) do update set last_at = excluded.last_at
where k.last_at < excluded.last_at - interval '1 day';

-- KeyAddressPrune forgets addresses that were not seen since a time.
-- name: KeyAddressPrune :exec
delete from key_address where ctid in (
    select k.ctid from key_address k where k.last_at < @before::timestamptz order by k.last_at limit @most);

-- ApiRequestPrune removes old requests, of so many at most: it looks at that many of the lowest ids alone.
-- name: ApiRequestPrune :execrows
with oldest as (select id, at as came from api_request order by id limit @most),
    old as (select id from oldest where came < @before::timestamptz)
delete from api_request where id in (select id from old);
