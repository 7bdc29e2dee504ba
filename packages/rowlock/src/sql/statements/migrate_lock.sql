-- migrate_lock: lets one process at a time migrate a schema; held to the end of the transaction, also behind a pooler
-- param 1 schema: text
-- transition: none
-- index: none, reads no table
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('rowlock migrate ' || $1, 0))
