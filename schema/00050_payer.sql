-- +goose Up

-- Where the payer goes back to, and when they first said that they have paid.
alter table payment
    add column return_url text,
    add column payer_claimed_at timestamptz;

alter table cashbox
    -- The hosts that a return address may name; none is any.
    add column return_hosts text[] not null default '{}',
    -- Whether a page that says "paid" leads back by itself.
    add column return_automatic boolean not null default false,
    -- Whether the merchant is told what the payer says.
    add column payer_events boolean not null default false;

alter table cashbox_method
    -- How long a payment waits at least once the payer has said that they have paid.
    add column claim_seconds integer not null default 900 check (claim_seconds between 1 and 86400),
    -- How many cards may be tried for one payment.
    add column cards smallint not null default 3 check (cards between 1 and 10);

-- How many cards were declined for the payment.
alter table checkout add column declined smallint not null default 0;
