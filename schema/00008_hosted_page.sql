-- How a cashbox's hosted pages look, and who may show them in a frame.

-- +goose Up
alter table cashbox
    -- The shop's colour, as #rrggbb; null is the gateway's own.
    add column page_color text check (page_color ~ '^#[0-9a-f]{6}$'),
    -- The one origin whose pages may frame ours; null is nobody.
    add column frame_origin text check (frame_origin ~ '^https://[a-z0-9.-]+(:[0-9]+)?$');
