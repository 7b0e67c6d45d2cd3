-- What waits for operators is found by its age, without reading what does not wait.

-- +goose Up
create index payin_taken_idx on payin (taken_at) where status = 'processing';
create index appeal_waiting_idx on appeal (id) where status in ('open', 'in_review');
create index account_balance_overdrawn_idx on account_balance (account_id) where overdrawn;
create index rate_feed_failing_idx on rate_feed (polled_at) where enabled and error is not null;
