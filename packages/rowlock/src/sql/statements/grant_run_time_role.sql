-- grant_run_time_role: what a worker or producer needs; no DDL, no TRUNCATE, and the list of migrations to read only
-- transition: none
-- index: none, grants
-- run_time_role stands for the role. The default privileges cover what later migrations of this same role create.
grant usage on schema rowlock to run_time_role;
grant select, insert, update, delete on all tables in schema rowlock to run_time_role;
revoke insert, update, delete on rowlock.migration from run_time_role;
grant usage, select, update on all sequences in schema rowlock to run_time_role;
grant execute on all routines in schema rowlock to run_time_role;
alter default privileges in schema rowlock grant select, insert, update, delete on tables to run_time_role;
alter default privileges in schema rowlock grant usage, select, update on sequences to run_time_role;
alter default privileges in schema rowlock grant execute on routines to run_time_role
