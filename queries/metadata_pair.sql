-- name: MetadataPairInsert :exec
insert into metadata_pair (merchant_id, subject, pair, subject_id) values (@merchant_id, @subject, @pair, @subject_id);

-- MetadataIDs are the newest of what has a pair, no more than a list looks at.
-- name: MetadataIDs :many
select subject_id from metadata_pair
where merchant_id = @merchant_id and subject = @subject and pair = @pair and subject_id > @above and subject_id < @below
order by case when @backward::boolean then subject_id end, subject_id desc limit @most;
