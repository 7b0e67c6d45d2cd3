-- name: BankSet :exec
insert into bank (currency, name, methods, link, steps, source, logo, enabled)
values (@currency, @name, @methods, @link, @steps, @source, sqlc.narg(logo), @enabled)
on conflict (currency, name) do update set methods = excluded.methods, link = excluded.link, steps = excluded.steps,
    source = excluded.source, logo = coalesce(excluded.logo, bank.logo), enabled = excluded.enabled;

-- BankSetting locks a bank and reads its settings; of its logo the hash.
-- name: BankSetting :one
select (to_jsonb(b) - 'logo' || jsonb_build_object('logo', coalesce(encode(sha256(b.logo), 'hex'), '')))::jsonb
from bank b where b.currency = @currency and b.name = @name for no key update;

-- BankList lists the banks that are offered for payments of a currency by a method.
-- name: BankList :many
select name, methods, link, steps, source, enabled, coalesce(encode(sha256(logo), 'hex'), '')::text as logo_hash from bank
where currency = @currency and enabled and @method::text = any(methods)
order by lower(name), name;

-- name: BankLogo :one
select logo from bank where logo is not null and encode(sha256(logo), 'hex') = @hash::text limit 1;

-- BankSettings lists a currency's banks, each as BankSetting reads it.
-- name: BankSettings :many
select (to_jsonb(b) - 'logo' || jsonb_build_object('logo', coalesce(encode(sha256(b.logo), 'hex'), '')))::jsonb as setting
from bank b where b.currency = @currency order by lower(b.name), b.name;
