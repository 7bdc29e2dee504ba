-- begin_with_settings: opens a transaction with the settings of set_up_session, where the session is not ours to set up
-- transition: none
-- index: none, reads no table
begin isolation level read committed;
set local search_path = pg_catalog, pg_temp;
set local lock_timeout = '100ms';
set local idle_in_transaction_session_timeout = '10s';
set local jit = off;
set local enable_seqscan = off;
set local enable_bitmapscan = off;
set local enable_sort = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local random_page_cost = 0.1;
set local seq_page_cost = 0.1;
select pg_catalog.set_config('transaction_timeout', '30s', true) where pg_catalog.current_setting('server_version_num')::int >= 170000;
select pg_catalog.set_config('client_connection_check_interval', '2s', true) where pg_catalog.version() ~ 'linux'
