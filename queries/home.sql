-- HomePut notes where the database is served from, unless that is noted already.
-- name: HomePut :exec
insert into home (cluster, database, base_url, since) values (sqlc.narg(cluster), @database, @base_url, @since)
on conflict do nothing;

-- name: HomeGet :one
select * from home;

-- HomeForget has the next start note where the database is served from.
-- name: HomeForget :exec
delete from home;
