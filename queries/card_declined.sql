-- CardDeclinedCount counts the other cards of a source that were declined, and says when the oldest of them was.
-- name: CardDeclinedCount :one
select count(*) as cards, coalesce(min(at), @since::timestamptz)::timestamptz as oldest
from card_declined where source = @source and card <> @card and at > @since::timestamptz;

-- name: CardDeclinedPut :exec
insert into card_declined (source, card, at) values (@source, @card, @at)
on conflict (source, card) do update set at = excluded.at;

-- name: CardDeclinedPrune :execrows
delete from card_declined where at < @before::timestamptz;
