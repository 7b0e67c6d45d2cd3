-- RequisiteMessageState reads what messages do for a requisite of a trader, as the log of settings has it, and locks it.
-- name: RequisiteMessageState :one
select to_jsonb(m)::jsonb from requisite_message m
where requisite_id = @requisite_id and trader_id = @trader_id for no key update;

-- name: RequisiteMessageList :many
select m.* from requisite_message m where m.trader_id = @trader_id order by m.requisite_id limit 1000;

-- RequisiteMessageByDevice lists the requisites that a message of a bank can be about.
-- name: RequisiteMessageByDevice :many
select m.* from requisite_message m
where m.device_id = @device_id and m.bank = @bank and m.mode <> 'off'
  and (m.account is null or @account::text = '' or m.account = @account)
order by m.requisite_id for no key update;

-- name: RequisiteMessagePut :exec
insert into requisite_message (requisite_id, trader_id, device_id, bank, account, mode, most, since)
values (@requisite_id, @trader_id, @device_id, @bank, @account, @mode, @most, @since)
on conflict (requisite_id) do update set device_id = excluded.device_id, bank = excluded.bank, account = excluded.account,
    mode = excluded.mode, most = excluded.most,
    since = case when requisite_message.mode = excluded.mode then requisite_message.since else excluded.since end;

-- RequisiteMessageStop stops what a contradicted message may have been about.
-- name: RequisiteMessageStop :many
update requisite_message set stopped_by = @stopped_by::bigint
where device_id = @device_id and bank = @bank and (account is null or @account::text = '' or account = @account)
  and stopped_by is null
returning requisite_id, trader_id;

-- name: RequisiteMessageLooked :exec
update requisite_message set stopped_by = null where requisite_id = @requisite_id;

-- name: RequisiteMessageShadow :exec
update requisite_message set mode = 'shadow', since = @since where requisite_id = @requisite_id and mode = 'on';

-- RequisiteMessageTally counts, of the newest completed payments of a requisite, those that a message would have confirmed.
-- name: RequisiteMessageTally :one
select count(*) as completed, count(*) filter (where exists (
    select from bank_message b where b.payment_id = p.id and b.requisite_id = @requisite_id and (b.state in ('confirmed', 'objected') or b.why = 'shadow')
)) as told
from (select o.id, o.requisite_id from payment o where o.trader_id = @trader_id and o.status = 'completed'
      and o.created_at >= @since::timestamptz order by o.id desc limit 2000) p
where p.requisite_id = @requisite_id;

-- RequisiteMessageShadows counts, of the newest messages that would have confirmed a payment, how those payments ended.
-- name: RequisiteMessageShadows :one
select count(*) filter (where p.status = 'completed') as right_ones,
    count(*) filter (where p.status in ('failed', 'cancelled')) as wrong_ones,
    count(*) filter (where p.status in ('pending', 'appeal')) as open_ones
from (select m.payment_id, m.merchant_id from bank_message m where m.requisite_id = @requisite_id and m.why = 'shadow'
      and m.arrived_at >= @since::timestamptz order by m.id desc limit 2000) b
join payment p on p.merchant_id = b.merchant_id and p.id = b.payment_id;
