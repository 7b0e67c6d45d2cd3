-- Where merchants send the USDT of their deposits.

-- +goose Up

-- An address of the platform. Former ones stay: deposits name them.
create table receiving_address (
    network text not null check (network in ('TRC20', 'ERC20', 'BEP20', 'POLYGON', 'ARBITRUM')),
    -- '': by this network nothing is taken.
    address text not null,
    -- The one that merchants are shown.
    present boolean not null default true,
    primary key (network, address)
);
create unique index receiving_address_present_idx on receiving_address (network) where present;

alter table proposal drop constraint proposal_action_check, add constraint proposal_action_check check (action in (
    'fund_trader', 'withdraw_trader', 'correct', 'confirm_deposit', 'set_insurance', 'set_rate', 'set_rate_feed',
    'create_user', 'update_user', 'invite_user', 'set_acquirer', 'create_requisite', 'set_cashbox_method',
    'update_merchant', 'update_trader', 'resolve_appeal', 'resolve_payin', 'reverse_payin', 'set_receiving'));
