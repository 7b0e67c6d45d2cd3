-- Public keys that signed documents can be proven with. They stay when the vault key they are derived from is gone.

-- +goose Up
create table signing_key (
    kid text primary key,
    public_key bytea not null check (length(public_key) = 32),
    created_at timestamptz not null
);
