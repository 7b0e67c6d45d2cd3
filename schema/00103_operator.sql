-- What one operator moves alone, who set an operator up, and proposals of more kinds.

-- +goose Up
-- USDT that one operator moved without a second one. What was moved in a day is bounded, and not only each movement.
create table operator_movement (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    operator_id bigint not null references app_user,
    -- Whose USDT they were: 'cashbox 7', say.
    owner text not null,
    amount numeric(28, 8) not null check (amount between 0.00000001 and 999999999999.99999999)
);
create index operator_movement_operator_idx on operator_movement (operator_id, at);
create index operator_movement_owner_idx on operator_movement (owner, at);
create trigger operator_movement_append_only before update or delete or truncate on operator_movement
    for each statement execute function append_only();
