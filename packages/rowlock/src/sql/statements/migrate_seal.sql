-- migrate_seal: functions are for everybody unless said otherwise; here nothing is
-- transition: none
-- index: none, grants
revoke all on all routines in schema rowlock from public;
revoke all on all tables in schema rowlock from public
