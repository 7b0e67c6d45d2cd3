-- RateAnchorAdd keeps what was in use before a change by hand.
-- name: RateAnchorAdd :exec
insert into rate_anchor (currency, at, fiat_per_usdt) values (@currency, @at, @fiat_per_usdt);

-- RateAnchorFirst is what was in use before the first of the changes by hand since then.
-- name: RateAnchorFirst :one
select fiat_per_usdt from rate_anchor where currency = @currency and at > @since order by id limit 1;

-- name: RateAnchorPrune :exec
delete from rate_anchor where currency = @currency and at <= @before;
