-- name: LedgerPartInsert :exec
insert into ledger_part (day, number, first_id, last_id, hash)
select @day::date, unnest(@numbers::integer[]), unnest(@first_ids::bigint[]), unnest(@last_ids::bigint[]), unnest(@hashes::bytea[])
on conflict do nothing;

-- name: LedgerPartList :many
select * from ledger_part where day = @day order by number;
