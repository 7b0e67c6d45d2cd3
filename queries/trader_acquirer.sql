-- name: AcquirerGet :one
select * from trader_acquirer where trader_id = @trader_id;

-- name: AcquirerSet :exec
insert into trader_acquirer (trader_id, url, key_id, secret) values (@trader_id, @url, @key_id, @secret)
on conflict (trader_id) do update set url = excluded.url, key_id = excluded.key_id, secret = excluded.secret;

-- AcquirerSetting locks a trader's acquirer and reads it, its secret left out.
-- name: AcquirerSetting :one
select (to_jsonb(a) - 'secret')::jsonb from trader_acquirer a where a.trader_id = @trader_id for no key update;
