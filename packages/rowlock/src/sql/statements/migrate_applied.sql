-- migrate_applied: the migrations of this database
-- column 1 version: int
-- column 2 name: text
-- column 3 hash: text
-- column 4 minCompatible: int, oldest version of the code that works beside it
-- transition: none
-- index: none, a table of a few rows
select version, name, hash, min_compatible from rowlock.migration order by version
