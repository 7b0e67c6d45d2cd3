-- SignInEventInsert keeps a sign-in or a try. Of a user and an outcome at most so many are kept in an hour: whoever tries again and
-- again fills no disk, and hides nothing else.
-- name: SignInEventInsert :exec
insert into sign_in_event (at, user_id, door, outcome, address, agent)
select @at, @user_id, @door, @outcome, @address, @agent
where (select count(*) from (
    select from sign_in_event e
    where e.user_id = @user_id and e.outcome = @outcome and e.at > @since::timestamptz limit @most
) kept) < @most::bigint;

-- SignInEventPrune removes what is old, some at a time.
-- name: SignInEventPrune :exec
delete from sign_in_event where id in (
    select o.id from sign_in_event o where o.at < @before order by o.at, o.id limit @page);
