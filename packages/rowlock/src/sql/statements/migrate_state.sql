-- migrate_state: whether this database was ever migrated
-- column 1 exists: boolean
-- transition: none
-- index: none, reads the catalog
select pg_catalog.to_regclass('rowlock.migration') is not null
