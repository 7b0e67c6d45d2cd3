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

-- RequisiteMessageOf tells by which phone, bank and account the messages about some requisites come. Of a phone that was revoked none do.
-- name: RequisiteMessageOf :many
select m.requisite_id, m.bank, m.account, m.device_id, (d.revoked_at is not null)::boolean as revoked
from requisite_message m join bank_device d on d.id = m.device_id where m.requisite_id = any(@requisites::bigint[]);

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

-- RequisiteMessageTallies counts, for each requisite of a trader that has messages and since it has its mode: how the payments ended
-- that the trader's newest messages would have confirmed, and how many of the newest completed payments messages told of.
-- name: RequisiteMessageTallies :many
with shadow as (
    select m.requisite_id, m.merchant_id, m.payment_id, m.arrived_at from bank_message m
    where m.trader_id = @trader_id and m.why = 'shadow' order by m.id desc limit 2000
), would as (
    select b.requisite_id, count(*) filter (where p.status = 'completed') as right_ones,
        count(*) filter (where p.status in ('failed', 'cancelled')) as wrong_ones,
        count(*) filter (where p.status in ('pending', 'appeal')) as open_ones
    from shadow b
    join requisite_message r on r.requisite_id = b.requisite_id and b.arrived_at >= r.since
    join payment p on p.merchant_id = b.merchant_id and p.id = b.payment_id
    group by b.requisite_id
), newest as (
    select o.id, o.requisite_id, o.created_at from payment o
    where o.trader_id = @trader_id and o.status = 'completed' order by o.id desc limit 2000
), paid as (
    select n.requisite_id, count(*) as completed, count(*) filter (where n.id in (select s.payment_id from shadow s) or exists (
        select from bank_message b where b.payment_id = n.id and b.state in ('confirmed', 'objected') and b.why <> 'part')) as told
    from newest n join requisite_message r on r.requisite_id = n.requisite_id and n.created_at >= r.since
    group by n.requisite_id
)
select r.requisite_id, coalesce(w.right_ones, 0)::bigint as right_ones, coalesce(w.wrong_ones, 0)::bigint as wrong_ones,
    coalesce(w.open_ones, 0)::bigint as open_ones, coalesce(d.completed, 0)::bigint as completed, coalesce(d.told, 0)::bigint as told
from requisite_message r
left join would w on w.requisite_id = r.requisite_id
left join paid d on d.requisite_id = r.requisite_id
where r.trader_id = @trader_id and r.mode <> 'off';
