-- A merchant's feed of events in one status: without this, finding the few in it means reading all the others.

-- +goose Up
create index webhook_event_status_idx on webhook_event (merchant_id, status, xid, number);
