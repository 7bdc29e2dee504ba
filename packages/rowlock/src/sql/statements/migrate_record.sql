-- migrate_record: notes a migration as applied
-- param 1 version: int
-- param 2 name: text
-- param 3 hash: text
-- param 4 minCompatible: int
-- transition: none
-- index: none, inserts
insert into rowlock.migration (version, name, hash, min_compatible) values ($1, $2, $3, $4)
