-- +goose Up
-- What the command has done to the settings is looked for by an alarm.
create index setting_change_command_idx on setting_change (at) where actor = 'command';
