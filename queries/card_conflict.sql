-- name: ConflictInsert :exec
insert into card_conflict (merchant_id, payment_id, attempt_id, payment_status, attempt_state, created_at)
values (@merchant_id, @payment_id, @attempt_id, @payment_status, @attempt_state, @created_at)
on conflict do nothing;

-- name: ConflictListOpen :many
select * from card_conflict where closed_at is null and id < @before_id order by id desc limit @page;

-- name: ConflictClose :one
update card_conflict set closed_at = @closed_at, closed_by = @closed_by where id = @id and closed_at is null
returning *;

-- name: ConflictCount :one
select count(*) from card_conflict where closed_at is null;
