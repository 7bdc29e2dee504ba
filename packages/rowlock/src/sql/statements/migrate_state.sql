-- migrate_state: whether this schema was ever migrated
-- param 1 schema: text
-- column 1 exists: boolean
-- transition: none
-- index: none, reads the catalog
-- Not to_regclass: its cache misses what another session committed while this one waited for an advisory lock.
select exists (
  select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = 'migration')
