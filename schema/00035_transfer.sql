-- A transfer is one row: what one account is debited, another is credited. It is in balance by its form, so that no trigger
-- has to add up legs. The legs of each transfer so far become rows between those who gave and those who got.

-- +goose Up
lock table transfer, entry in access exclusive mode;

-- +goose StatementBegin
do $$
declare
    found text;
begin
    select format('transfer %s: %s %s', coalesce(t.id, e.transfer_id), coalesce(e.currency, 'no legs'), sum(e.amount)) into found
    from transfer t full join entry e on e.transfer_id = t.id
    group by t.id, e.transfer_id, e.currency
    having t.id is null or e.transfer_id is null or e.currency <> 'USDT' or sum(e.amount) <> 0
    limit 1;
    if found is not null then
        raise exception 'the ledger is not in balance and stays as it is: %', found;
    end if;
end $$;
-- +goose StatementEnd

drop index transfer_subject_idx, transfer_created_idx;
alter table transfer rename to old_transfer;
alter index transfer_pkey rename to old_transfer_pkey;
alter sequence transfer_id_seq rename to old_transfer_id_seq;

create table transfer (
    -- Only tells the order of a subject's transfers.
    id bigint generated always as identity,
    -- The amount goes from the debited account to the credited one.
    debit_account bigint not null,
    credit_account bigint not null,
    amount numeric(28, 8) not null constraint transfer_amount check (amount between 0.00000001 and 1e20),
    kind text not null,
    -- What moved the money: 'payment' and its id, say.
    subject text not null,
    subject_id bigint not null,
    created_at timestamptz not null,
    constraint transfer_accounts check (debit_account <> credit_account)
);

-- Those who gave and those who got stand each in a row along one line, as long as what they gave and got in all. Where two
-- of them overlap, that much went from the one to the other.
insert into transfer (debit_account, credit_account, amount, kind, subject, subject_id, created_at)
with leg as (
    select transfer_id, account_id, sum(amount) as amount from entry group by transfer_id, account_id having sum(amount) <> 0
), line as (
    select transfer_id, account_id, amount > 0 as gets, abs(amount) as amount,
        sum(abs(amount)) over (partition by transfer_id, amount > 0 order by account_id) as until
    from leg
), pair as (
    select d.transfer_id, d.account_id as debit, c.account_id as credit, c.until,
        least(d.until, c.until) - greatest(d.until - d.amount, c.until - c.amount) as amount
    from line d join line c on c.transfer_id = d.transfer_id and c.gets and not d.gets
        and d.until - d.amount < c.until and c.until - c.amount < d.until
)
select pair.debit, pair.credit, pair.amount, t.kind, t.subject, t.subject_id, t.created_at
from pair join old_transfer t on t.id = pair.transfer_id
order by t.id, pair.until, pair.debit;

-- +goose StatementBegin
do $$
declare
    found text;
begin
    select format('account %s: %s, was %s', id, new.amount, old.amount) into found
    from (select account_id as id, sum(amount) as amount from entry group by 1) old
    full join (
        select id, sum(amount) as amount
        from (select credit_account, amount from transfer union all select debit_account, -amount from transfer) moved (id, amount)
        group by 1
    ) new using (id)
    where coalesce(new.amount, 0) <> coalesce(old.amount, 0)
    limit 1;
    if found is not null then
        raise exception 'the transfers do not come to what the entries did: %', found;
    end if;
end $$;
-- +goose StatementEnd

drop table entry;
drop table old_transfer;
drop function entry_balanced();

-- Two indexes, since every movement of money writes them: this one finds what a subject has moved, and that one, of a few
-- bytes for many rows, what was moved lately. Nothing reads an account's transfers but the audit, which reads them all.
alter table transfer add constraint transfer_pkey primary key (subject_id, id);
create index transfer_created_idx on transfer using brin (created_at);
create trigger transfer_append_only before update or delete or truncate on transfer
    for each statement execute function append_only();
analyze transfer;
