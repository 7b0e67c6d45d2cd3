-- name: TakePut :exec
insert into payin_take (trader_id, payin_id, at) values (@trader_id, @payin_id, @at)
on conflict (trader_id, payin_id) do update set at = excluded.at;

-- TakesOf counts what a trader has taken since, and says when the first of it was. The caller holds the trader's lock.
-- name: TakesOf :one
select count(*) as takes, coalesce(min(at), @since)::timestamptz as oldest from payin_take where trader_id = @trader_id and at > @since;

-- name: TakeGiveBack :exec
update payin_take set given_back_at = @at where trader_id = @trader_id and payin_id = @payin_id;

-- TakesGivenBack are the payouts that a trader has given back, the latest first.
-- name: TakesGivenBack :many
select payin_id from payin_take
where trader_id = @trader_id and given_back_at > @since::timestamptz order by given_back_at desc limit @page;

-- name: TakeWasGivenBack :one
select exists (select from payin_take where trader_id = @trader_id and payin_id = @payin_id and given_back_at is not null)::boolean;

-- AlarmGiveBacks counts the traders who gave many payouts back since.
-- name: AlarmGiveBacks :one
select count(*) from (
    select from payin_take where given_back_at > @since::timestamptz group by trader_id having count(*) >= @most::integer) many;
