-- name: LedgerPageInsert :exec
insert into ledger_page (
    day, last_id, transfers, root, totals, totals_hash, previous_day, previous_hash, sealed_at, hash, kid, signature
) values (
    @day, @last_id, @transfers, @root, @totals, @totals_hash, @previous_day, @previous_hash, @sealed_at, @hash, @kid, @signature
) on conflict do nothing;

-- name: LedgerPageLast :one
select * from ledger_page order by day desc limit 1;

-- name: LedgerPageGet :one
select * from ledger_page where day = @day;

-- LedgerPageOf is the page a transfer is on: the first that has its id and the day on which it was made.
-- name: LedgerPageOf :one
select * from ledger_page where day >= @day and last_id >= @id order by day limit 1;

-- LedgerPageList goes down by days.
-- name: LedgerPageList :many
select * from ledger_page where day < @before order by day desc limit @page;

-- name: LedgerPageBetween :many
select * from ledger_page where day >= @from_day and day < @until_day order by day;

-- LedgerPageMonths are the months that have pages.
-- name: LedgerPageMonths :many
select distinct to_char(day, 'YYYY-MM')::text as month from ledger_page order by month;

-- LedgerAudits are when the last audits began that came to their ends, and what they found.
-- name: LedgerAudits :many
select scope, proven_at, violations from audit_run;
