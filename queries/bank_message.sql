-- BankMessageNextID gives the id of a message before it is written: its text is sealed for that.
-- name: BankMessageNextID :one
select nextval('bank_message_id_seq')::bigint;

-- BankMessageInsert keeps a message that is to be decided about.
-- name: BankMessageInsert :one
insert into bank_message (id, trader_id, device_id, message_id, kind, sender, text, received_at, arrived_at, says, pattern,
    bank, currency, account, amount, balance, state, why)
values (@id, @trader_id, @device_id, @message_id, @kind, @sender, @text, @received_at, @arrived_at, @says, @pattern,
    @bank, @currency, @account, @amount, @balance, 'new', @why)
returning *;

-- BankMessageNote keeps a message that needs nothing, once for each id that its phone gave it.
-- name: BankMessageNote :exec
insert into bank_message (id, trader_id, device_id, message_id, kind, sender, text, received_at, arrived_at, says, pattern,
    bank, currency, account, amount, balance, state, decided_at, decided_by)
values (@id, @trader_id, @device_id, @message_id, @kind, @sender, @text, @received_at, @arrived_at, @says, @pattern,
    @bank, @currency, @account, @amount, null, 'noted', @arrived_at, @decided_by::text)
on conflict on constraint bank_message_once do nothing;

-- name: BankMessageRepeated :one
select id, state from bank_message where device_id = @device_id and message_id = @message_id;

-- name: BankMessageLock :one
select * from bank_message where id = @id for no key update;

-- name: BankMessageFind :one
select * from bank_message where id = @id;

-- name: BankMessageOwn :one
select * from bank_message where id = @id and trader_id = @trader_id;

-- BankMessageDecide says what was done about a message that nobody has decided finally.
-- name: BankMessageDecide :exec
with decided as (
    update bank_message set state = @state, why = @why, gap = @gap, trusted = @trusted, requisite_id = @requisite_id, merchant_id = @merchant_id,
        payment_id = @payment_id, decided_at = @decided_at::timestamptz, decided_by = @decided_by::text
    where id = @id and state in ('new', 'noted', 'waiting', 'shadow')
    returning id
)
select 1 / count(*) from decided;

-- name: BankMessageObject :exec
update bank_message set state = 'objected', objection = @objection::text, decided_at = @decided_at::timestamptz, decided_by = @decided_by::text
where id = @id and state = 'confirmed';

-- BankMessageCandidates lists the payments of a trader that a message can be about: open ones of the amount, or that wait for this
-- rest, those of the amount that were completed since a time, and those that waited for it and ended unpaid since another time.
-- name: BankMessageCandidates :many
(select o.id, o.merchant_id, o.requisite_id, o.status, o.created_at, o.expires_at from payment o
 where o.trader_id = @trader_id and o.status = 'pending' and o.currency = @currency
   and o.amount - coalesce(o.received_amount, 0) = @amount::numeric and o.requisite_id is not null and o.requisite_type is not null
 order by o.id limit @most)
union all
(select p.id, p.merchant_id, p.requisite_id, p.status, p.created_at, p.expires_at from payment p
 where p.trader_id = @trader_id and p.status = 'completed' and p.status_at >= @since and p.currency = @currency
   and coalesce(p.received_amount, p.amount) = @amount and p.requisite_id is not null and p.requisite_type is not null
 order by p.id limit @most)
union all
(select u.id, u.merchant_id, u.requisite_id, u.status, u.created_at, u.expires_at from payment u
 where u.trader_id = @trader_id and u.status in ('failed', 'cancelled') and u.status_at >= @unpaid_since and u.currency = @currency
   and u.amount - coalesce(u.received_amount, 0) = @amount and u.requisite_id is not null and u.requisite_type is not null
 order by u.id limit @most);

-- BankMessageToldOf says whether a message has confirmed a payment already.
-- name: BankMessageToldOf :one
select exists (select from bank_message
    where payment_id = @payment_id::bigint and state in ('confirmed', 'assigned', 'objected') and why <> 'part');

-- BankMessageTurn has the messages of a trader's phones be decided one after another, until the transaction ends.
-- name: BankMessageTurn :exec
select pg_advisory_xact_lock(hashtextextended('message ' || @trader_id::bigint, 0));

-- BankMessageTwin finds another message that says that the same amount came at about the same time, one with the same balance
-- before one of which the balance is not known; other balances are of other transfers. Those that a person has dismissed are among
-- them: their transfer is about no payment, whoever tells of it again. What another phone of the trader has told is no repeat, for
-- each phone has balances of its own, but counts if a payment was paid by it and the balance is the same.
-- name: BankMessageTwin :one
select ((m.balance = sqlc.narg(balance)::numeric) is true and m.device_id = @device_id)::boolean as repeat
from bank_device d join bank_message m on m.device_id = d.id
where d.trader_id = @trader_id and m.says = 'incoming' and m.amount = @amount and m.bank = @bank and m.id <> @id
  and m.received_at between @since::timestamptz and @until::timestamptz
  and (m.account = @account or m.account = '' or @account::text = '')
  and m.why not in ('forged', 'repeat') and (m.balance = sqlc.narg(balance)) is distinct from false
  and (m.device_id = @device_id or m.balance = sqlc.narg(balance) and m.state in ('confirmed', 'assigned'))
order by m.device_id = @device_id desc, m.balance is null limit 1;

-- BankMessageBefore lists the messages of an account before one, the last first.
-- name: BankMessageBefore :many
select * from bank_message
where device_id = @device_id and bank = @bank and account = @account and balance is not null
  and why not in ('forged', 'repeat') and (received_at, id) < (@received_at::timestamptz, @id::bigint)
order by received_at desc, id desc limit 2;

-- BankMessageOfOthers reports whether the bank has told of another account on the device.
-- name: BankMessageOfOthers :one
select (exists (select 1 from bank_message b where b.device_id = @device_id and b.bank = @bank and b.account < @account and b.balance is not null)
    or exists (select 1 from bank_message a where a.device_id = @device_id and a.bank = @bank and a.account > @account and a.balance is not null))::boolean;

-- BankMessageTrust says that a message's balance follows from a trusted one. What was decided stays.
-- name: BankMessageTrust :exec
update bank_message set trusted = true, gap = 0 where id = @id;

-- BankMessageAfter lists the messages of an account after one, the first first.
-- name: BankMessageAfter :many
select * from bank_message
where device_id = @device_id and bank = @bank and account = @account and balance is not null
  and why not in ('forged', 'repeat') and (received_at, id) > (@received_at::timestamptz, @id::bigint)
order by received_at, id limit 2;

-- name: BankMessageListOwn :many
select * from bank_message
where trader_id = @trader_id and id < @before_id and (not @waiting::boolean or state = 'waiting')
order by id desc limit @page;

-- BankMessageBeside lists messages that wait and tell of one of some amounts, the newest first.
-- name: BankMessageBeside :many
select * from bank_message
where trader_id = @trader_id and state = 'waiting' and says = 'incoming' and why <> 'forged' and amount = any(@amounts::numeric[])
order by id desc limit 200;

-- BankMessageStamps reads of traders the last message that waits for them.
-- name: BankMessageStamps :many
select t.id::bigint as id, coalesce((
    select max(b.id) from bank_message b where b.trader_id = t.id and b.state = 'waiting'
), 0)::bigint as stamp
from unnest(@trader_ids::bigint[]) as t (id);

-- name: BankMessageUnknown :many
select * from bank_message where says = 'unknown' and id < @before_id order by id desc limit @page;

-- name: BankMessageObjected :many
select * from bank_message where state = 'objected' and id < @before_id order by id desc limit @page;

-- BankMessageObjection reads an objection, decided or not.
-- name: BankMessageObjection :one
select * from bank_message where id = @id and state = 'objected';

-- BankMessageResolve says what an operator decided about an objection that nobody has decided.
-- name: BankMessageResolve :one
update bank_message set outcome = @outcome::text, resolution = @resolution::text, resolved_at = @resolved_at::timestamptz,
    resolved_by = @resolved_by::text
where id = @id and state = 'objected' and outcome is null
returning *;

-- BankMessagePurge removes the texts of messages that came before a time.
-- name: BankMessagePurge :one
with due as (
    select id from bank_message where arrived_at < @before::timestamptz and text is not null order by arrived_at limit @most
), gone as (
    update bank_message set text = null where id in (select id from due) returning id
)
select count(*) as count, coalesce(min(id), 0)::bigint as first, coalesce(max(id), 0)::bigint as last from gone;

-- BankMessageForged marks a message that another one contradicts.
-- name: BankMessageForged :exec
update bank_message set why = 'forged' where id = @id;
