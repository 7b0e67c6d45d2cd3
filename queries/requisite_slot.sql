-- SlotTake takes a slot again for a payment that is set back to pending, if it is free or still its own. A desk has none.
-- name: SlotTake :exec
insert into requisite_slot (requisite_id, amount, payment_id, free_at, hash)
select r.id, @amount, @payment_id, 'infinity', r.hash from requisite r
where r.id = @requisite_id and r.hash is not null
on conflict (hash, amount) do update
set requisite_id = excluded.requisite_id, payment_id = excluded.payment_id, free_at = 'infinity'
where requisite_slot.free_at <= @now::timestamptz or requisite_slot.payment_id = excluded.payment_id;

-- SlotFree lets the slot be taken again from free_at on, if the payment still has it. A reservation that is over stays
-- over: its row may be pruned or rewritten at any time, so nothing may depend on it.
-- name: SlotFree :exec
update requisite_slot set free_at = @free_at
where requisite_id = @requisite_id and amount = @amount and payment_id = @payment_id and free_at > @now::timestamptz;

-- name: SlotPrune :execrows
delete from requisite_slot where free_at < @now::timestamptz;

-- SlotOthers reports whether an open payment other than the one given asks for one of the amounts on the phone, card or account of a
-- requisite.
-- name: SlotOthers :one
select exists (
    select 1 from requisite r join requisite_slot s on s.hash = r.hash and s.amount = any(@amounts::numeric[])
    where r.id = @requisite_id and s.free_at = 'infinity' and s.payment_id <> @payment_id
)::boolean;

-- SlotGone reports whether the slot of a requisite and an amount is another payment's than the one given, also where it only rests.
-- name: SlotGone :one
select exists (
    select 1 from requisite r join requisite_slot s on s.hash = r.hash and s.amount = @amount
    where r.id = @requisite_id and s.payment_id <> @payment_id
)::boolean;

-- PayerOthers reports whether a payer of a merchant has a pending payment on a requisite other than the one given.
-- name: PayerOthers :one
select exists (
    select 1 from payment
    where payer_user_id = @payer_user_id and merchant_id = @merchant_id and requisite_id = @requisite_id and id <> @payment_id
      and status = 'pending'
)::boolean;
