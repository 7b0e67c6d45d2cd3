-- How long a processor takes for an attempt to charge a card.

-- +goose Up

alter table card_attempt
    -- Since when the processor has had a card or a code that it has not answered; null while it is not its turn.
    add column handed_at timestamptz,
    -- How long its answers have taken together. The time in which a payer is asked for a code is none of it.
    add column took_ms bigint not null default 0;
