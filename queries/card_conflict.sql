-- ConflictInsert notes a conflict, unless one of the attempt is open.
-- name: ConflictInsert :exec
insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
values (@merchant_id, @payment_id, @attempt_id, @payment_status, @attempt_state, @created_at)
on conflict do nothing;

-- ConflictInsertUncharged notes that a payment is completed although the last attempt at its card came to nothing.
-- name: ConflictInsertUncharged :exec
insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
select c.merchant_id, c.payment_id, c.attempt_id, 'completed', a.status, @created_at
from checkout c join card_attempt a on a.merchant_id = c.merchant_id and a.id = c.attempt_id
where c.merchant_id = @merchant_id and c.payment_id = @payment_id and a.status in ('declined', 'voided', 'lost')
on conflict do nothing;

-- name: ConflictListOpen :many
select * from card_conflict where closed_at is null and id < @before_id order by id desc limit @page;

-- name: ConflictClose :one
update card_conflict set closed_at = @closed_at, closed_by = @closed_by where id = @id and closed_at is null
returning *;

-- name: ConflictCount :one
select count(*) from card_conflict where closed_at is null;

-- name: ConflictGet :one
select * from card_conflict where id = @id;
