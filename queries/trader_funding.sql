-- TraderFundingInsert claims a reference for a movement. No row: another has it.
-- name: TraderFundingInsert :one
insert into trader_funding (reference, trader_id, amount, created_at)
values (@reference, @trader_id, @amount, @created_at)
on conflict (reference) do nothing
returning id;

-- name: TraderFundingSetting :one
select to_jsonb(f)::jsonb from trader_funding f where f.id = @id;

-- TraderFundingByReference reads a movement and what the log of settings has of it.
-- name: TraderFundingByReference :one
select f.trader_id, f.amount, sqlc.embed(c)
from trader_funding f join setting_change c on c.subject = 'trader_funding' and c.subject_key = f.id::text
where f.reference = @reference;
