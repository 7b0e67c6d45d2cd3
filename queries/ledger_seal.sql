-- LedgerSealInsert decides what a day's page is made of, unless that is decided already.
-- name: LedgerSealInsert :exec
insert into ledger_seal (day, last_id, salt)
values (@day, greatest(@last_id::bigint, (select max(last_id) from ledger_seal where day < @day)), @salt)
on conflict do nothing;

-- name: LedgerSealGet :one
select * from ledger_seal where day = @day;

-- LedgerFirstMade is when the first transfer was made, among those with the lowest ids.
-- name: LedgerFirstMade :one
select min(created_at)::timestamptz as at from (select created_at from transfer order by id limit 1000) t
having count(*) > 0;

-- name: LedgerNewestTransfer :one
select coalesce(max(id), 0)::bigint from transfer;

-- LedgerDayBounds are the lowest and the highest id of a page: of what was made on its day, and of what was committed after the page
-- before was made, though it was made earlier.
-- name: LedgerDayBounds :one
select coalesce(min(id), 0)::bigint as first_id, coalesce(max(id), -1)::bigint as last_id from (
    select d.id from transfer d where d.created_at >= @begin_at and d.created_at < @end_at and d.id <= @last_id
    union all
    select l.id from transfer l where l.id > @before_id and l.id <= @last_id and l.created_at < @begin_at
) t;

-- LedgerDayTransfers are transfers of a page, in the order of their ids.
-- name: LedgerDayTransfers :many
select * from transfer
where id > @past and id <= @until and created_at < @end_at and (id > @before_id or created_at >= @begin_at)
order by id limit @page;

-- LedgerTransfersOf are those of a payment, a payout or a deposit.
-- name: LedgerTransfersOf :many
select * from transfer where subject_id = @subject_id and subject = @subject order by id;

-- LedgerSealerTake makes the caller the one who seals for a while, unless another does.
-- name: LedgerSealerTake :execrows
update ledger_sealer set until = now() + make_interval(secs => @seconds) where until < now();

-- name: LedgerSealerLeave :exec
update ledger_sealer set until = 'epoch';
