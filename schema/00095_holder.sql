-- Events name the holder of a payment's card. The card's own name is sealed and erased, so that of the events has to go as well:
-- this lists those that still have it, and the program takes it out of them once they are settled and the card is erased.

-- +goose Up
create table webhook_holder (
    merchant_id bigint not null,
    event_id uuid not null,
    payment_id bigint not null,
    primary key (merchant_id, event_id)
);
insert into webhook_holder (merchant_id, event_id, payment_id)
select e.merchant_id, e.id, c.payment_id
from payment_card c join webhook_event e on e.merchant_id = c.merchant_id and e.subject = 'payment' and e.subject_id = c.payment_id
where position('"cardHolder":'::bytea in e.body) > 0;
