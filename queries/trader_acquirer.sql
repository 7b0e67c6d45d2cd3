-- AcquirerGet is a processor, present or former.
-- name: AcquirerGet :one
select * from trader_acquirer where id = @id;

-- AcquirerPresent is the processor that takes a trader's new cards.
-- name: AcquirerPresent :one
select * from trader_acquirer where trader_id = @trader_id and present;

-- AcquirerRetire makes a trader's present processor, unless it is at this address, a former one.
-- name: AcquirerRetire :exec
update trader_acquirer set present = false where trader_id = @trader_id and present and url <> @url;

-- AcquirerSet makes the processor at an address a trader's present one. One known there before gets the new key and secret.
-- name: AcquirerSet :exec
insert into trader_acquirer (trader_id, url, key_id, secret) values (@trader_id, @url, @key_id, @secret)
on conflict (trader_id, url) do update set key_id = excluded.key_id, secret = excluded.secret, present = true;

-- AcquirerSetting locks a trader's present acquirer and reads it. The digest of its sealed secret only shows that it changed.
-- name: AcquirerSetting :one
select (to_jsonb(a) || jsonb_build_object('secret', 'hidden-' || left(encode(sha256(a.secret), 'hex'), 8)))::jsonb
from trader_acquirer a where a.trader_id = @trader_id and a.present for no key update;

-- AcquirerSettingOf reads a processor, present or former, as AcquirerSetting does.
-- name: AcquirerSettingOf :one
select (to_jsonb(a) || jsonb_build_object('secret', 'hidden-' || left(encode(sha256(a.secret), 'hex'), 8)))::jsonb
from trader_acquirer a where a.id = @id;

-- AcquirerList lists a trader's processors, the present one first, each as AcquirerSetting reads it and with how many card
-- attempts are under way there.
-- name: AcquirerList :many
select (to_jsonb(a) || jsonb_build_object('secret', 'hidden-' || left(encode(sha256(a.secret), 'hex'), 8)))::jsonb
    as setting, coalesce(c.open, 0)::bigint as open
from trader_acquirer a left join (
    select t.acquirer_id, count(*) as open from card_attempt t
    where t.trader_id = @trader_id and t.status in ('authorising', 'open', 'undoing') group by t.acquirer_id
) c on c.acquirer_id = a.id
where a.trader_id = @trader_id order by a.present desc, a.id desc;
