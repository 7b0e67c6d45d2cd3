-- Users of traders choose more languages. A program that does not know a language yet speaks the browser's, and tells in English.

-- +goose Up
alter table app_user drop constraint app_user_language_check, add constraint app_user_language_check
    check (language in ('en', 'ru') or (kind = 'trader' and language in ('az', 'kk', 'tr', 'uz'))) not valid;
alter table app_user validate constraint app_user_language_check;
