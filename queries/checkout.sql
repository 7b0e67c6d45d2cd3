-- name: CheckoutGet :one
select * from checkout where merchant_id = @merchant_id and payment_id = @payment_id;

-- name: CheckoutList :many
select * from checkout where merchant_id = any(@merchant_ids::bigint[]) and payment_id = any(@payment_ids::bigint[]);

-- CheckoutPut writes where a checkout stands. The payment's row lock makes its writers one at a time.
-- name: CheckoutPut :exec
insert into checkout (merchant_id, payment_id, phase, code_asked, codes_rejected, resends, resent_by, resent_at,
                      last_error, attempt_id, attempt_over, declined)
values (@merchant_id, @payment_id, @phase, @code_asked, @codes_rejected, @resends, @resent_by, @resent_at,
        @last_error, @attempt_id, @attempt_over, @declined)
on conflict (merchant_id, payment_id) do update set phase = excluded.phase, code_asked = excluded.code_asked,
    codes_rejected = excluded.codes_rejected, resends = excluded.resends, resent_by = excluded.resent_by,
    resent_at = excluded.resent_at, last_error = excluded.last_error, attempt_id = excluded.attempt_id,
    attempt_over = excluded.attempt_over, declined = excluded.declined;
