-- SlotTake takes a slot again for a payment that is set back to pending, if it is free or still its own.
-- name: SlotTake :exec
insert into requisite_slot (requisite_id, amount, payment_id, free_at, hash)
select r.id, @amount, @payment_id, 'infinity', r.hash from requisite r
where r.id = @requisite_id and not exists (
    select from requisite_slot n
    where n.requisite_id = r.id and n.amount = @amount and n.hash is null and n.payment_id <> @payment_id
)
on conflict (hash, amount) do update
set requisite_id = excluded.requisite_id, payment_id = excluded.payment_id, free_at = 'infinity'
where requisite_slot.free_at <= @now::timestamptz or requisite_slot.payment_id = excluded.payment_id;

-- SlotsHash gives slots their hash that a process of the version before wrote before their requisite had one. Of several that
-- would have the same, the one that is taken for longest gets it; the others go when they are free.
-- name: SlotsHash :execrows
update requisite_slot s set hash = r.hash from requisite r
where r.id = s.requisite_id and s.hash is null and (s.requisite_id, s.amount) in (
    select distinct on (k.hash, n.amount) n.requisite_id, n.amount
    from requisite_slot n join requisite k on k.id = n.requisite_id
    where n.hash is null and k.hash is not null
      and not exists (select from requisite_slot o where o.hash = k.hash and o.amount = n.amount)
    order by k.hash, n.amount, n.free_at desc
);

-- SlotFree lets the slot be taken again from free_at on, if the payment still has it. A reservation that is over stays
-- over: its row may be pruned or rewritten at any time, so nothing may depend on it.
-- name: SlotFree :exec
update requisite_slot set free_at = @free_at
where requisite_id = @requisite_id and amount = @amount and payment_id = @payment_id and free_at > @now::timestamptz;

-- name: SlotPrune :execrows
delete from requisite_slot where free_at < @now::timestamptz;
