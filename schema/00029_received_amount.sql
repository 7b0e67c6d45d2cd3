-- What came of a payment, where that is not what was asked for.

-- +goose Up
alter table cashbox_method
    -- What becomes of another amount than asked for: exact takes none, tolerance takes what is near enough for the amount asked,
    -- received takes what came.
    add column amount_policy text not null default 'exact' check (amount_policy in ('exact', 'tolerance', 'received')),
    -- How far off near enough is: within both where both are set.
    add column tolerance_percent numeric(7, 4) check (tolerance_percent between 0 and 100),
    add column tolerance_amount numeric(14, 2) check (tolerance_amount >= 0),
    -- Whose the difference is.
    add column difference_to text not null default 'trader' check (difference_to in ('trader', 'platform')),
    -- How long after its time a payment can still be completed by its trader.
    add column late_seconds integer not null default 86400 check (late_seconds between 0 and 604800);

alter table payment
    -- What came by the trader's word; null where nobody said.
    add column received_amount numeric(14, 2),
    -- The amount that the sums in USDT are of; null: the one asked for.
    add column settled_amount numeric(14, 2),
    -- What the platform gets of the difference between came and asked; below 0, what it adds.
    add column difference_usdt numeric(28, 8) not null default 0;
-- Rows that were there have nulls, so nothing of a large table is read for this.
alter table payment add constraint payment_received_check check (received_amount > 0 and (settled_amount is null
    or settled_amount <= received_amount) or received_amount is null and settled_amount is null and difference_usdt = 0) not valid;

alter table payment_history add column received_amount numeric(14, 2);
