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

-- SealedWith names the columns in which a vault key sealed anything. It reads them whole.
-- name: SealedWith :many
select distinct place::text from sealed_value where fingerprint = @fingerprint::text order by 1;
