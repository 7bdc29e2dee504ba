-- migrate_wait: settings while waiting for other processes that migrate
-- transition: none
-- index: none, reads no table
select pg_catalog.set_config('transaction_timeout', '0', true) where pg_catalog.current_setting('server_version_num')::int >= 170000;
set local statement_timeout = 0;
set local lock_timeout = '30s'
