-- name: AttemptInsert :exec
insert into card_attempt (merchant_id, id, payment_id, trader_id, status, resends_told, created_at, poll_at)
values (@merchant_id, @id, @payment_id, @trader_id, 'authorising', @resends_told, @created_at, @poll_at);

-- name: AttemptGet :one
select * from card_attempt where merchant_id = @merchant_id and id = @id;

-- AttemptPut writes how an attempt stands, under its payment's row lock.
-- name: AttemptPut :exec
update card_attempt set status = @status, codes_sent = @codes_sent,
    codes_followed = @codes_followed, submitting = @submitting, poll_at = @poll_at
where merchant_id = @merchant_id and id = @id;

-- AttemptSoon has the acquirer asked soon.
-- name: AttemptSoon :exec
update card_attempt set poll_at = @poll_at where merchant_id = @merchant_id and id = @id;

-- AttemptSoonIfOpen is AttemptSoon for an attempt whose card has arrived: one still on its way would be taken for lost.
-- name: AttemptSoonIfOpen :exec
update card_attempt set poll_at = @poll_at where merchant_id = @merchant_id and id = @id and status = 'open';

-- AttemptNudge has the acquirer asked soon, unless a call is under way: that would be taken for lost.
-- name: AttemptNudge :exec
update card_attempt set poll_at = @poll_at
where merchant_id = @merchant_id and id = @id and status = 'open' and not submitting;

-- AttemptClaim takes the attempts that are due and puts each off: those asked about often for longer. Replicas pass each
-- other's by.
-- name: AttemptClaim :many
with due as (
    select a.merchant_id, a.id, (case when a.polls < 10 then @soon::timestamptz when a.polls < 100 then @later::timestamptz
        else @last::timestamptz end)::timestamptz as next_poll
    from card_attempt a
    where a.status in ('authorising', 'open', 'undoing') and a.poll_at <= @now::timestamptz
    order by a.poll_at limit @page
    for no key update skip locked
)
update card_attempt a set polls = a.polls + 1, poll_at = due.next_poll
from due where a.merchant_id = due.merchant_id and a.id = due.id
returning a.*;

-- AttemptResendTold notes of which resend the acquirer knows.
-- name: AttemptResendTold :exec
update card_attempt set resends_told = greatest(resends_told, @resends_told::integer)
where merchant_id = @merchant_id and id = @id;

-- AttemptUndo has the charges that completed a payment undone, soon.
-- name: AttemptUndo :exec
update card_attempt set status = 'undoing', polls = 0, poll_at = @poll_at
where merchant_id = @merchant_id and payment_id = @payment_id and status = 'approved';
