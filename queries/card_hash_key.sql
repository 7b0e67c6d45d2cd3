-- CardHashKeyPut keeps the key of card hashes, unless there is one already.
-- name: CardHashKeyPut :exec
insert into card_hash_key (key) values (@key) on conflict do nothing;

-- CardHashKeyReplace replaces a key that nobody can open any more.
-- name: CardHashKeyReplace :exec
update card_hash_key set key = @key where key = @lost;

-- name: CardHashKeyGet :one
select key from card_hash_key;
