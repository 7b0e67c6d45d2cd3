-- name: RateLimitList :many
select name, calls, per_seconds from rate_limit order by name;

-- RateLimitScale makes a sandbox's limits wider.
-- name: RateLimitScale :exec
update rate_limit set calls = calls * @by::integer;

-- name: RateLimitGet :one
select calls, per_seconds from rate_limit where name = @name;
