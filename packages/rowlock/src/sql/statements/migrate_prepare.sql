-- migrate_prepare: the schema, unless an administrator has made it, and the list of applied migrations
-- transition: none
-- index: none, makes the table
-- "if not exists" asks for the right to create schemas even where the schema is there.
do $$
begin
  if pg_catalog.to_regnamespace('rowlock') is null then
    create schema rowlock;
    revoke all on schema rowlock from public;
  end if;
end $$;
create table if not exists rowlock.migration (
  version integer primary key,
  name text not null,
  hash text not null,
  min_compatible integer not null,
  applied_at timestamptz not null default pg_catalog.clock_timestamp()
)
