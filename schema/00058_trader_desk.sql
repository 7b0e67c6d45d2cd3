-- +goose Up

-- What a trader's desk shows: the open payments of a trader, those that end first before the others.
create index payment_desk_idx on payment (trader_id, expires_at, id) where status = 'pending';
