-- name: SimulationGet :one
select running, since, confirmed, wrong_amount, cancelled from simulation;

-- name: SimulationPlays :many
select method, confirmed, wrong_amount, cancelled, delay_from, delay_to from simulation_play order by method;

-- name: SimulationStart :exec
update simulation set running = true, since = @since::timestamptz, confirmed = 0, wrong_amount = 0, cancelled = 0;

-- name: SimulationStop :exec
update simulation set running = false;

-- name: SimulationCount :exec
update simulation set confirmed = confirmed + @confirmed, wrong_amount = wrong_amount + @wrong_amount, cancelled = cancelled + @cancelled;

-- SimulationPlayKeep removes the plays of all other methods.
-- name: SimulationPlayKeep :exec
delete from simulation_play where method <> all (@methods::text[]);

-- name: SimulationPlayPut :exec
insert into simulation_play (method, confirmed, wrong_amount, cancelled, delay_from, delay_to)
values (@method, @confirmed, @wrong_amount, @cancelled, @delay_from, @delay_to)
on conflict (method) do update set confirmed = excluded.confirmed, wrong_amount = excluded.wrong_amount,
    cancelled = excluded.cancelled, delay_from = excluded.delay_from, delay_to = excluded.delay_to;

-- SimulationOpen are payments that wait for a trader, in the order of their expiry, a page at a time.
-- name: SimulationOpen :many
select id, uuid, trader_id, method, created_at, expires_at, currency, amount, requisite_last4 from payment
where status = 'pending' and (expires_at, id) > (@after_expiry::timestamptz, @after_id::bigint) and method = any (@methods::text[])
order by expires_at, id limit @most;
