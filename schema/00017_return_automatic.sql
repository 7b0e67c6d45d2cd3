-- +goose Up
-- A page that says "paid" leads back to the shop by itself, after a countdown that the payer can stop, unless an operator has
-- said otherwise. Cashboxes that are there keep what they have.
alter table cashbox alter column return_automatic set default true;
