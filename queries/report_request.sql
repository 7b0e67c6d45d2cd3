-- ReportRequests lists a merchant's requests, the newest first. The inner query is bounded by an index, and stops after so many
-- rows whatever the outer one keeps of them.
-- name: ReportRequests :many
with listed as (
    select r.* from api_request r
    where r.merchant_id = @merchant_id and r.id > @above::bigint and r.id < @below::bigint
    order by case when @backward::boolean then r.id end, r.id desc limit @scan
)
select id, at, method, path, status, code, key_id, request_id, duration_us from listed
where at >= @came_from and at < @came_to
  and (sqlc.narg(classes)::smallint[] is null or status / 100 = any(sqlc.narg(classes)::smallint[]))
  and (sqlc.narg(code)::text is null or code = sqlc.narg(code))
  and (sqlc.narg(key_id)::text is null or key_id = sqlc.narg(key_id))
order by case when @backward then id end, id desc limit @page;

-- ReportRequestsStop is the request at which a search stopped that looked at as many as it may.
-- name: ReportRequestsStop :one
select id, at from api_request
where merchant_id = @merchant_id and id > @above::bigint and id < @below::bigint
order by case when @backward::boolean then id end, id desc limit 1 offset @past;

-- ReportRequestsNamed are the requests of an X-Request-Id, which callers choose and may use again.
-- name: ReportRequestsNamed :many
select id, at, method, path, status, code, key_id, request_id, duration_us from api_request
where merchant_id = @merchant_id and request_id = @request_id and request_id <> ''
order by id desc limit @page;

-- ReportRequestLast is the merchant's newest request.
-- name: ReportRequestLast :one
select id from api_request where merchant_id = @merchant_id order by id desc limit 1;

-- ReportRequestAtOrAfter is the merchant's first request from an id on.
-- name: ReportRequestAtOrAfter :one
select id, at from api_request where merchant_id = @merchant_id and id >= @id order by id limit 1;
