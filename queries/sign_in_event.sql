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

-- SignInPlace is whose login it is, 0 for nobody's, and whether they have signed in from the address before: the same work for
-- logins that nobody has.
-- name: SignInPlace :one
select coalesce(max(u.id), 0)::bigint as user_id, coalesce(bool_or(exists (
    select from sign_in_event e where e.user_id = u.id and e.outcome in ('signed_in', 'factor_given')
      and e.address = @address and e.at > @since)), false)::boolean as known
from app_user u where u.login = @login and u.enabled;
