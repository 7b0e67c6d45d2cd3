-- Users of merchants and traders whom an operator let in wait for an owner's answer.

-- +goose Up
alter table app_user
    -- Until when this user of a merchant or trader only looks, because an operator made, invited or raised them, or switched them
    -- on. Null: nobody has to answer for them, or an owner has accepted them. set_up_at and set_up_by say when it was, and who.
    add column awaits_until timestamptz,
    add constraint app_user_awaits_fits check (awaits_until is null or kind in ('merchant_portal', 'trader') and set_up_at is not null);
