-- set_up_session: settings of a session that is wholly ours
-- transition: none
-- index: none, reads no table
-- READ COMMITTED: a role default of repeatable read makes SKIP LOCKED fail. jit: a mis-estimated hot statement would be compiled at every call.
-- lock_timeout: a settle that twice meets a row locked in somebody's transaction settles its batch by id instead, without
-- that row.
-- Scans and joins of whole tables are off, and pages count for little wherever they lie: else the planner would hash the
-- whole job table to settle a batch by ctid, for as long as the table is small enough for its guess (20,000 rows: 13 ms against 6).
-- Sorts are off too: the lanes are read in the order of their index, so that a plan kept from an empty table is the plan
-- for a full one. Parsing and planning would be a fifth of the server's work for a batch of 500.
set default_transaction_isolation = 'read committed';
set search_path = pg_catalog, pg_temp;
set lock_timeout = '100ms';
set idle_in_transaction_session_timeout = '10s';
set jit = off;
set plan_cache_mode = force_generic_plan;
set enable_seqscan = off;
set enable_bitmapscan = off;
set enable_sort = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
set random_page_cost = 0.1;
set seq_page_cost = 0.1;
-- Unknown before 17; the client check is refused where the platform cannot see a closed socket.
select pg_catalog.set_config('transaction_timeout', '30s', false) where pg_catalog.current_setting('server_version_num')::int >= 170000;
select pg_catalog.set_config('client_connection_check_interval', '2s', false) where pg_catalog.version() ~ 'linux'
