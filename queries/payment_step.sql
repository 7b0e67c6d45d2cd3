-- name: PaymentStepInsert :exec
insert into payment_step (merchant_id, payment_id, at, actor, what, detail)
values (@merchant_id, @payment_id, @at, @actor, @what, @detail);

-- PaymentStepInsertVisit notes that a page was opened, unless enough of that is noted.
-- name: PaymentStepInsertVisit :exec
insert into payment_step (merchant_id, payment_id, at, actor, what, detail)
select @merchant_id, @payment_id, @at, @actor, 'page_opened', @detail
where (select count(*) from (
    select 1 from payment_step s
    where s.merchant_id = @merchant_id and s.payment_id = @payment_id and s.what = 'page_opened' limit @most
) noted) < @most::bigint;

-- name: PaymentStepList :many
select * from payment_step where merchant_id = @merchant_id and payment_id = @payment_id order by id limit @most;

-- PaymentsGiveBack gives the payments that were open when an outage began more time, and notes it in the timeline of each.
-- name: PaymentsGiveBack :execrows
with given as (
    -- A sum in one zone is the same on every node, which a sum in the session's need not be.
    update payment set version = version + 1,
        expires_at = (expires_at at time zone 'UTC' + make_interval(secs => @seconds)) at time zone 'UTC'
    where status = 'pending' and expires_at > @since::timestamptz and created_at < @created_before::timestamptz
    returning merchant_id, id
)
insert into payment_step (merchant_id, payment_id, at, actor, what, detail)
select merchant_id, id, @now::timestamptz, 'system', 'time_given_back', @detail::jsonb from given;
