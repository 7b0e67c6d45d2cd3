-- CardHashKeyPut keeps the key of card hashes, unless there is one already.
-- name: CardHashKeyPut :exec
insert into card_hash_key (key) values (@key) on conflict do nothing;

-- name: CardHashKeyGet :one
select key from card_hash_key;
