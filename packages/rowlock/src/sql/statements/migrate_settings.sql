-- migrate_settings: settings of the migrations themselves
-- transition: none
-- index: none, reads no table
-- Whatever waits for a lock makes every later claim wait behind it.
set local lock_timeout = '2s';
set local search_path = pg_catalog, pg_temp;
set local check_function_bodies = on
