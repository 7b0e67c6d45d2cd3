-- name: SavedViewList :many
select id, name, path, query from saved_view where user_id = @user_id and path = @path order by name, id;

-- SavedViewLock has a user's views saved one after the other, so that each counts those before it.
-- name: SavedViewLock :exec
select id from app_user where id = @user_id for no key update;

-- SavedViewCount counts a user's views of a list under other names.
-- name: SavedViewCount :one
select count(*) from saved_view where user_id = @user_id and path = @path and name <> @name;

-- SavedViewSet saves a view. One of the same name is replaced.
-- name: SavedViewSet :exec
insert into saved_view (user_id, name, path, query, created_at) values (@user_id, @name, @path, @query, @created_at)
on conflict (user_id, path, name) do update set query = excluded.query, created_at = excluded.created_at;

-- name: SavedViewRemove :one
delete from saved_view where id = @id and user_id = @user_id returning path;
