-- name: PayoutMethodList :many
select method, currency from payout_method order by currency, method;
