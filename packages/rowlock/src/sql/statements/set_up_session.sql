-- set_up_session: settings of a session that is wholly ours
-- transition: none
-- index: none, reads no table
-- READ COMMITTED: a role default of repeatable read makes SKIP LOCKED fail. jit: a mis-estimated hot statement would be compiled at every call.
-- lock_timeout: a settle that meets a row locked in somebody's transaction settles its batch by id instead, without that row.
-- Scans and joins of whole tables are off, and a page costs the same wherever it lies: else the planner would hash the
-- whole job table to settle a batch by ctid, for as long as the table is small enough for its guess (20,000 rows: 13 ms against 6).
set default_transaction_isolation = 'read committed';
set search_path = pg_catalog, pg_temp;
set lock_timeout = '100ms';
set idle_in_transaction_session_timeout = '10s';
set jit = off;
set enable_seqscan = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
set random_page_cost = 1;
set seq_page_cost = 1;
-- Unknown before 17; the client check is refused where the platform cannot see a closed socket.
select pg_catalog.set_config('transaction_timeout', '30s', false) where pg_catalog.current_setting('server_version_num')::int >= 170000;
select pg_catalog.set_config('client_connection_check_interval', '2s', false) where pg_catalog.version() ~ 'linux'
