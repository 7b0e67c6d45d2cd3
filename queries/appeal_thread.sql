-- AppealThreadGrow counts a message that is about to be written. No row: there are as many as there may be.
-- name: AppealThreadGrow :one
insert into appeal_thread as t (appeal_id, trader_id, messages, last_at, trader_unread, operator_unread)
values (@appeal_id, @trader_id, 1, @now, case when @from_trader::boolean then 0 else 1 end, case when @from_trader then 1 else 0 end)
on conflict (appeal_id) do update set messages = t.messages + 1, last_at = excluded.last_at,
    trader_unread = t.trader_unread + excluded.trader_unread, operator_unread = t.operator_unread + excluded.operator_unread
where t.messages < @most::integer
returning messages;

-- AppealThreadSeen notes that a side has read all that there is. What has come since it looked stays unread.
-- name: AppealThreadSeen :exec
update appeal_thread set trader_unread = case when @by_trader::boolean then 0 else trader_unread end,
    operator_unread = case when @by_trader then operator_unread else 0 end
where appeal_id = @appeal_id and messages = @messages and case when @by_trader then trader_unread else operator_unread end > 0;

-- name: AppealThreadList :many
select * from appeal_thread where trader_id = @trader_id and appeal_id < @before_id order by appeal_id desc limit @page;

-- AppealsNamed reads some of the appeals of a trader's payments.
-- name: AppealsNamed :many
select sqlc.embed(a), sqlc.embed(p) from appeal a join payment p on p.merchant_id = a.merchant_id and p.id = a.payment_id
where a.id = any(@ids::bigint[]) and p.trader_id = @trader_id::bigint;

-- name: AppealMessageInsert :exec
insert into appeal_message (appeal_id, number, user_id, from_trader, text, created_at)
values (@appeal_id, @number, @user_id, @from_trader, @text, @created_at);

-- name: AppealMessageList :many
select m.number, m.from_trader, m.text, m.created_at, u.login from appeal_message m join app_user u on u.id = m.user_id
where m.appeal_id = @appeal_id order by m.number;

-- AppealUnreadOwn counts the appeals with messages that a trader has not read, as far as a number is shown.
-- name: AppealUnreadOwn :one
select count(*) from (select from appeal_thread where trader_id = @trader_id and trader_unread > 0 limit @most) unread;
