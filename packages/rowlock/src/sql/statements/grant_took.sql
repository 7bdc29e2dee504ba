-- grant_took: whether a role has the rights of grant_run_time_role; a grant by who may not grant is only a warning
-- param 1 schema: text
-- param 2 role: text
-- column 1 took: boolean
-- transition: none
-- index: none, reads no table of ours
select has_schema_privilege($2::name, n.oid, 'usage')
  and not exists (
    select from pg_catalog.pg_class c cross join unnest(array['select', 'insert', 'update', 'delete']) wanted (privilege)
    where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v') and (c.relname <> 'migration' or wanted.privilege = 'select')
      and not has_table_privilege($2::name, c.oid, wanted.privilege))
  and not exists (
    select from pg_catalog.pg_class c cross join unnest(array['usage', 'select', 'update']) wanted (privilege)
    where c.relnamespace = n.oid and c.relkind = 'S' and not has_sequence_privilege($2::name, c.oid, wanted.privilege))
  and not exists (
    select from pg_catalog.pg_proc f where f.pronamespace = n.oid and not has_function_privilege($2::name, f.oid, 'execute'))
from pg_catalog.pg_namespace n where n.nspname = $1::text;
