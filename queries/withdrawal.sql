-- WithdrawalTurn has one owner's requests come one after another until the transaction ends.
-- name: WithdrawalTurn :exec
select pg_advisory_xact_lock(hashtextextended('withdrawals ' || @whose::text, 0));

-- name: WithdrawalByOrder :one
select * from withdrawal where owner_kind = @owner_kind and owner_id = @owner_id and order_id = @order_id;

-- WithdrawalDay is what an owner had leave by a network since a time, or is about to.
-- name: WithdrawalDay :one
select coalesce(sum(amount), 0)::numeric from withdrawal
where owner_kind = @owner_kind and owner_id = @owner_id and network = @network and created_at >= @since
  and status not in ('rejected', 'failed', 'cancelled');

-- name: WithdrawalInsert :one
insert into withdrawal (owner_kind, owner_id, cashbox_id, order_id, amount, fee, network, address_id, address, callback_uri,
    created_at, status_at, request_id, request_address)
values (@owner_kind, @owner_id, @cashbox_id, @order_id, @amount, @fee, @network, @address_id, @address, @callback_uri,
    @now, @now, @request_id, @request_address)
returning *;

-- name: WithdrawalFind :one
select * from withdrawal where id = @id;

-- name: WithdrawalLock :one
select * from withdrawal where id = @id for no key update;

-- WithdrawalMove moves one out of the status that it is known to have.
-- name: WithdrawalMove :one
update withdrawal set status = @status, status_reason = @status_reason, status_at = @now, event_sequence = @event_sequence,
    transaction_hash = @transaction_hash, mismatch = null
where id = @id and status = @was
returning *;

-- WithdrawalsApproved locks what can be handed over, the oldest first.
-- name: WithdrawalsApproved :many
select * from withdrawal where status = 'approved' and id > @after_id order by id limit @most for no key update;

-- name: WithdrawalsToHandOver :one
select count(*) from withdrawal where status = 'approved';

-- WithdrawalHandOver puts one on a list: never one that is on a list already.
-- name: WithdrawalHandOver :one
update withdrawal set status = 'handed_over', status_reason = null, status_at = @now, event_sequence = @event_sequence,
    hand_over_id = @hand_over_id
where id = @id and status = 'approved' and hand_over_id is null
returning *;

-- name: WithdrawalSetHash :one
update withdrawal set transaction_hash = @transaction_hash::text, mismatch = null where id = @id and status = 'handed_over'
returning *;

-- name: WithdrawalSetMismatch :exec
update withdrawal set mismatch = @mismatch::text where id = @id and status = 'handed_over';

-- WithdrawalsSeen lists what the transactions moved that withdrawals were paid by, once these are final. The limit is of withdrawals:
-- one of which a part of the transfers is missing would be stopped.
-- name: WithdrawalsSeen :many
select distinct on (w.id, t.log_index) sqlc.embed(w), t.to_address, t.amount, t.seen_at from withdrawal w
join chain_transfer t on t.network = w.network and t.transaction_hash = w.transaction_hash and t.direction in ('out', 'named')
    and t.state = 'final'
where w.id in (
    select o.id from withdrawal o
    where o.status = 'handed_over' and o.mismatch is null and exists (
        select from chain_transfer f
        where f.network = o.network and f.transaction_hash = o.transaction_hash and f.direction in ('out', 'named')
          and f.state = 'final')
    order by o.id limit @most)
order by w.id, t.log_index, t.seen_at;

-- WithdrawalPaid tells whether the network shows the transfer that a withdrawal waits for, which is not from before a time. It need not
-- be the one that is named, since that can be changed, but none that is named for another withdrawal.
-- name: WithdrawalPaid :one
select exists (
    select from withdrawal w join chain_transfer t on t.network = w.network and t.to_address = w.address and t.amount = w.amount
        and t.direction <> 'in' and t.state in ('seen', 'final')
    where w.id = @id and t.seen_at >= @since and not exists (
        select from withdrawal o where o.network = t.network and o.transaction_hash = t.transaction_hash and o.id <> w.id
          and o.status <> 'failed')
);

-- WithdrawalHashes are the transactions of a network by which withdrawals are to be paid, of the newest.
-- name: WithdrawalHashes :many
select transaction_hash::text from withdrawal
where status = 'handed_over' and network = @network and transaction_hash is not null and mismatch is null
order by id desc limit @most;

-- WithdrawalByHash finds what waits for a transaction.
-- name: WithdrawalByHash :one
select id from withdrawal where network = @network and transaction_hash = @transaction_hash::text and status = 'handed_over';

-- name: WithdrawalList :many
select * from withdrawal where id < @before_id and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
    and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
order by id desc limit @page;

-- name: WithdrawalListOwn :many
select * from withdrawal where owner_kind = @owner_kind and owner_id = @owner_id and id < @before_id
  and (sqlc.narg(status)::text is null or status = sqlc.narg(status))
  and (sqlc.narg(cashbox_id)::bigint is null or cashbox_id = sqlc.narg(cashbox_id))
  and (sqlc.narg(order_id)::text is null or order_id = sqlc.narg(order_id))
  and (sqlc.narg(created_from)::timestamptz is null or created_at >= sqlc.narg(created_from))
  and (sqlc.narg(created_to)::timestamptz is null or created_at < sqlc.narg(created_to))
order by id desc limit @page;

-- name: WithdrawalHistoryInsert :exec
insert into withdrawal_history (withdrawal_id, at, actor, from_status, to_status, reason)
values (@withdrawal_id, @at, @actor, @from_status, @to_status, @reason);

-- name: WithdrawalHistoryList :many
select * from withdrawal_history where withdrawal_id = @withdrawal_id order by id;

-- name: WithdrawalTermsSettings :many
select to_jsonb(t)::jsonb as setting from withdrawal_terms t order by t.network;

-- WithdrawalTermsSetting locks what holds for a network and reads it.
-- name: WithdrawalTermsSetting :one
select to_jsonb(t)::jsonb from withdrawal_terms t where t.network = @network for no key update;

-- name: WithdrawalTermsGet :one
select * from withdrawal_terms where network = @network;

-- name: WithdrawalTermsSet :exec
insert into withdrawal_terms (network, enabled, fee, min_amount, daily_amount)
values (@network, @enabled, @fee, @min_amount, @daily_amount)
on conflict (network) do update set enabled = excluded.enabled, fee = excluded.fee, min_amount = excluded.min_amount,
    daily_amount = excluded.daily_amount;

-- name: WithdrawalAddressInsert :one
insert into withdrawal_address (owner_kind, owner_id, network, address, label, added_by, added_at, usable_at)
values (@owner_kind, @owner_id, @network, @address, @label, @added_by, @added_at, @usable_at)
returning id;

-- WithdrawalAddressSetting is what the log of settings tells of an address.
-- name: WithdrawalAddressSetting :one
select jsonb_build_object('network', network, 'address', address, 'label', label, 'owner_kind', owner_kind, 'owner_id', owner_id,
    'usable_at', usable_at, 'removed', removed_at is not null)::jsonb
from withdrawal_address where id = @id for no key update;

-- name: WithdrawalAddressGet :one
select * from withdrawal_address where id = @id;

-- WithdrawalAddressList is an address book: what a person keeps, so that it needs no pages.
-- name: WithdrawalAddressList :many
select * from withdrawal_address where owner_kind = @owner_kind and owner_id = @owner_id and removed_at is null
order by id desc limit @most;

-- name: WithdrawalAddressFind :one
select * from withdrawal_address
where owner_kind = @owner_kind and owner_id = @owner_id and network = @network and address = @address
  and removed_at is null;

-- name: WithdrawalAddressRemove :exec
update withdrawal_address set removed_at = @removed_at where id = @id and removed_at is null;

-- name: WithdrawalHandOverID :one
select nextval('withdrawal_hand_over_id_seq')::bigint;

-- WithdrawalHandOverTurn has lists made one after another until the transaction ends.
-- name: WithdrawalHandOverTurn :exec
select pg_advisory_xact_lock(hashtextextended('withdrawal hand over', 0));

-- name: WithdrawalHandOverInsert :exec
insert into withdrawal_hand_over (id, created_at, created_by, count, amount, document)
values (@id, @created_at, @created_by, @count, @amount, @document);

-- WithdrawalHandOverNext is the first list after one.
-- name: WithdrawalHandOverNext :one
select * from withdrawal_hand_over where id > @past order by id limit 1;

-- name: WithdrawalHandOverGet :one
select * from withdrawal_hand_over where id = @id;

-- name: WithdrawalHandOverList :many
select id, created_at, created_by, count, amount from withdrawal_hand_over where id < @before_id order by id desc limit @page;

-- ReportCountWithdrawals counts the withdrawals that wait for operators, no further than so many.
-- name: ReportCountWithdrawals :one
select count(*) from (
    (select 1 from withdrawal where status = 'requested' limit @most)
    union all
    (select 1 from withdrawal where status = 'handed_over' and mismatch is not null limit @most)
    limit @most
) waiting;

-- AlarmWithdrawals are those that wait since before a time, for a decision, a hand-over or their transfer, and those that were stopped.
-- name: AlarmWithdrawals :one
select count(*), coalesce(min(status_at), @until::timestamptz)::timestamptz as oldest from withdrawal
where status in ('requested', 'approved', 'handed_over') and status_at <= @until::timestamptz or status = 'handed_over' and mismatch is not null;
