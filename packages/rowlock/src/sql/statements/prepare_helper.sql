-- prepare_helper: limits of the helper's session, or of its transaction behind a pooler
-- param 1 timeLimitMs: int
-- param 2 forTransaction: boolean
-- column 1 settings: int
-- transition: none
-- index: none, reads no table
-- Joined with pg_settings, so that a server which does not know a setting yet is not asked for it.
select pg_catalog.count(pg_catalog.set_config(s.name, v.value, $2::boolean))::integer
from (values
    ('search_path', 'pg_catalog, pg_temp'),
    ('lock_timeout', ($1::integer / 2)::text),
    ('statement_timeout', $1::integer::text),
    ('idle_in_transaction_session_timeout', '10000'),
    ('transaction_timeout', '30000'),
    ('idle_session_timeout', '0'),
    ('client_connection_check_interval', case when pg_catalog.version() ~ 'linux' then '2000' else '0' end),
    ('default_transaction_isolation', 'read committed')) v (name, value)
  join pg_catalog.pg_settings s on s.name = v.name
