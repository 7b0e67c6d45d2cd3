-- DayFirstIDLast is the last day that has its first id.
-- name: DayFirstIDLast :one
select day, first_id from day_first_id where subject = @subject order by day desc limit 1;

-- name: DayFirstIDInsert :exec
insert into day_first_id (subject, day, first_id) values (@subject, @day, @first_id) on conflict do nothing;

-- DayFirstIDFrom is an id below which nothing was created on the day or later.
-- name: DayFirstIDFrom :one
select first_id from day_first_id where subject = @subject and day <= @day order by day desc limit 1;

-- DayFirstIDUntil is an id from which on nothing was created before the day, with a day to spare: a process keeps ids for a while
-- before it uses them.
-- name: DayFirstIDUntil :one
select first_id from day_first_id where subject = @subject and day > @day order by day limit 1;

-- name: PaymentAtOrAfter :one
select id, created_at from payment where id >= @id order by id limit 1;

-- name: PaymentNewest :one
select id, created_at from payment order by id desc limit 1;

-- PaymentFirstSince finds the lowest id of what was created since, among few ids.
-- name: PaymentFirstSince :one
select coalesce(min(id), 0)::bigint from payment where id > @past and id <= @last_id and created_at >= @since;

-- name: PayoutAtOrAfter :one
select id, created_at from payin where id >= @id order by id limit 1;

-- name: PayoutNewest :one
select id, created_at from payin order by id desc limit 1;

-- PayoutFirstSince finds the lowest id of what was created since, among few ids.
-- name: PayoutFirstSince :one
select coalesce(min(id), 0)::bigint from payin where id > @past and id <= @last_id and created_at >= @since;
