-- ReceivingSetting locks a network's address and reads it.
-- name: ReceivingSetting :one
select jsonb_build_object('network', network, 'address', address)::jsonb from receiving_address
where network = @network and present for no key update;

-- name: ReceivingRetire :exec
update receiving_address set present = false where network = @network and present;

-- name: ReceivingSet :exec
insert into receiving_address (network, address) values (@network, @address)
on conflict (network, address) do update set present = true;

-- ReceivingList lists the addresses that merchants are shown, each as ReceivingSetting reads it.
-- name: ReceivingList :many
select jsonb_build_object('network', network, 'address', address)::jsonb as setting from receiving_address
where present order by network;

-- ReceivingKnown tells whether an address is or was one of the platform's, and whether it still is. Hexadecimal digits may be
-- written in either case; another case of a TRC20 address has no valid checksum.
-- name: ReceivingKnown :one
select count(*) > 0 as known, coalesce(bool_or(present), false)::boolean as present from receiving_address
where network = @network and lower(address) = lower(@address::text);

-- ReceivingPresent are the addresses that merchants are shown, each behind its network. Hexadecimal digits may be written in either case.
-- name: ReceivingPresent :many
select (network || ' ' || lower(address))::text from receiving_address where present and address <> '';
