-- BankDeviceNextID gives the id of a device before it is written: its secret is sealed for that.
-- name: BankDeviceNextID :one
select nextval('bank_device_id_seq')::bigint;

-- name: BankDeviceInsert :exec
insert into bank_device (id, trader_id, name, key_id, secret, created_at)
values (@id, @trader_id, @name, @key_id, @secret, @created_at);

-- name: BankDeviceByKey :one
select * from bank_device where key_id = @key_id and revoked_at is null;

-- name: BankDeviceList :many
select * from bank_device where trader_id = @trader_id order by revoked_at is not null, id desc limit 100;

-- BankDeviceOwn reads a trader's device as the log of settings has it, and locks it.
-- name: BankDeviceOwn :one
select (to_jsonb(d) - array['secret', 'heard_at'])::jsonb from bank_device d
where id = @id and trader_id = @trader_id for no key update;

-- name: BankDeviceRevoke :exec
update bank_device set revoked_at = @revoked_at::timestamptz where id = @id and revoked_at is null;

-- BankDeviceHeard locks a device, so that its messages are decided one after the other, and notes that it was heard.
-- name: BankDeviceHeard :exec
with heard as (
    update bank_device set heard_at = greatest(heard_at, @heard_at::timestamptz) where id = @id returning id
)
select 1 / count(*) from heard;

-- BankDevicesSilent lists the devices that a trader's payments count on, and that were not heard since a time.
-- name: BankDevicesSilent :many
select id, name, heard_at from counted_phone where trader_id = @trader_id and silent_since < @since::timestamptz order by id limit 20;

-- BankDeviceLock has a person and the messages of a device wait for one another.
-- name: BankDeviceLock :exec
select id from bank_device where id = @id for no key update;
