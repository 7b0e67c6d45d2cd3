-- name: SigningKeyPut :exec
insert into signing_key (kid, public_key, created_at) values (@kid, @public_key, @created_at) on conflict (kid) do nothing;

-- name: SigningKeyList :many
select * from signing_key order by created_at, kid;
