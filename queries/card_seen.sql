-- CardSourceLock lets one card of a source be counted at a time.
-- name: CardSourceLock :exec
select pg_advisory_xact_lock(hashtextextended(encode(@source::bytea, 'hex'), 0));

-- CardSeenCount counts the other cards of a source, and says when the oldest of them came.
-- name: CardSeenCount :one
select count(*) as cards, coalesce(min(at), @since::timestamptz)::timestamptz as oldest
from card_seen where source = @source and card <> @card and at > @since::timestamptz;

-- name: CardSeenPut :exec
insert into card_seen (source, card, at) values (@source, @card, @at)
on conflict (source, card) do update set at = excluded.at;

-- name: CardSeenPrune :execrows
delete from card_seen where at < @before::timestamptz;
