-- set_up_session: settings of a session that is wholly ours
-- transition: none
-- index: none, reads no table
-- READ COMMITTED: a role default of repeatable read makes SKIP LOCKED fail. jit: a mis-estimated hot statement would be compiled at every call.
set default_transaction_isolation = 'read committed';
set search_path = pg_catalog, pg_temp;
set lock_timeout = '5s';
set idle_in_transaction_session_timeout = '10s';
set jit = off;
-- Unknown before 17; the client check is refused where the platform cannot see a closed socket.
select pg_catalog.set_config('transaction_timeout', '30s', false) where pg_catalog.current_setting('server_version_num')::int >= 170000;
select pg_catalog.set_config('client_connection_check_interval', '2s', false) where pg_catalog.version() ~ 'linux'
