-- Of the cards that come from one address to one cashbox, only those that were declined are counted: behind one address
-- may be many honest payers.

-- +goose Up
alter table card_seen rename to card_declined;
alter index card_seen_pkey rename to card_declined_pkey;
alter index card_seen_at_idx rename to card_declined_at_idx;
truncate card_declined; -- it held every card that was tried

-- Keyed hashes, of cashbox and address and of the PAN: what to count if the attempt is declined.
alter table card_attempt add column source bytea, add column card bytea;
