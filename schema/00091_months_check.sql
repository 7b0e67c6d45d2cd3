-- +goose Up
-- +goose StatementBegin
do $$
declare
    month record;
begin
    for month in select conrelid::regclass as of, conname from pg_constraint where conname like '%\_month' and not convalidated loop
        execute format('alter table %s validate constraint %I', month.of, month.conname);
    end loop;
end $$;
-- +goose StatementEnd
