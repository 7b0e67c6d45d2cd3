-- Which phones payments count on.

-- +goose Up

-- The phones whose traders get payments, and that forwarded nothing since such a payment was given to a requisite of theirs.
create view counted_phone as
select d.id, d.trader_id, d.name, d.heard_at, coalesce(d.heard_at, d.created_at) as silent_since
from bank_device d join trader t on t.id = d.trader_id
where d.revoked_at is null and t.enabled and not t.on_break and exists (
    select from requisite_message m join requisite_day y on y.requisite_id = m.requisite_id
    where m.device_id = d.id and m.mode <> 'off' and y.used_at > coalesce(d.heard_at, d.created_at));
