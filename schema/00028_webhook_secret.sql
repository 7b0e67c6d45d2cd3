-- Every secret that was replaced within the last day signs besides the newest, not only the last of them: whoever rotates
-- twice, say because the answer to the first call was lost, is still using the one before both.

-- +goose Up
create table webhook_secret_previous (
    id bigint generated always as identity primary key,
    cashbox_id bigint not null references cashbox,
    -- Sealed as it was for cashbox.webhook_secret.
    secret bytea not null,
    until timestamptz not null
);
create index webhook_secret_previous_cashbox on webhook_secret_previous (cashbox_id);
insert into webhook_secret_previous (cashbox_id, secret, until)
select id, webhook_secret_previous, webhook_secret_previous_until from cashbox
where webhook_secret_previous is not null and webhook_secret_previous_until is not null;
