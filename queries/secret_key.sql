-- SecretKeyPut notes that a process runs with a key as its first.
-- name: SecretKeyPut :exec
insert into secret_key (purpose, fingerprint, seen_at) values (@purpose, @fingerprint, @seen_at)
on conflict (purpose, fingerprint) do update set seen_at = greatest(secret_key.seen_at, excluded.seen_at);

-- SecretKeyNeeded lists the keys that every process needs: vault keys until nothing is sealed with them any more, link keys
-- for a while after one last made links with them.
-- name: SecretKeyNeeded :many
select purpose, fingerprint from secret_key where purpose = 'vault' or seen_at > @links_since order by purpose, fingerprint;

-- name: SecretKeyForget :exec
delete from secret_key where purpose = @purpose and fingerprint = @fingerprint;

-- SecretKeySeen notes that a process still runs with a key as its first, if the key is known.
-- name: SecretKeySeen :exec
update secret_key set seen_at = greatest(seen_at, @seen_at) where purpose = @purpose and fingerprint = @fingerprint;

-- name: SecretKeyList :many
select purpose, fingerprint, seen_at from secret_key order by purpose, fingerprint;

-- SealedCount counts what each vault key sealed, by column. It reads the columns whole.
-- name: SealedCount :many
select fingerprint::text, place::text, count(*) as sealed from sealed_value group by 1, 2 order by 1, 2;
