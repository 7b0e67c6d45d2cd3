-- OperatorMovementTurn has one operator's movements, and those of one owner, come one after another until the transaction ends.
-- name: OperatorMovementTurn :exec
select pg_advisory_xact_lock(hashtextextended('moved ' || @whose::text, 0));

-- OperatorMovementSum is what one operator moved alone since then, and what all of them moved alone of one owner's; the greater
-- of the two.
-- name: OperatorMovementSum :one
select greatest(
    (select coalesce(sum(m.amount), 0) from operator_movement m where m.operator_id = @operator_id and m.at > @since::timestamptz),
    (select coalesce(sum(m.amount), 0) from operator_movement m where m.owner = @owner and m.at > @since::timestamptz)
)::numeric;

-- name: OperatorMovementInsert :exec
insert into operator_movement (at, operator_id, owner, amount) values (@at, @operator_id, @owner, @amount);
