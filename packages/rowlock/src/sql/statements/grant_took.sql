-- grant_took: whether a role has the rights of grant_run_time_role; a grant by who may not grant is only a warning
-- param 1 schema: text
-- param 2 role: text
-- column 1 took: boolean
-- transition: none
-- index: none, reads no table of ours
select has_schema_privilege($2::name, n.oid, 'usage')
  and (
    select bool_and(case
      when c.relkind = 'S' then has_sequence_privilege($2::name, c.oid, 'usage')
      when c.relname = 'migration' then has_table_privilege($2::name, c.oid, 'select')
      else has_table_privilege($2::name, c.oid, 'select') and has_table_privilege($2::name, c.oid, 'insert')
        and has_table_privilege($2::name, c.oid, 'update') and has_table_privilege($2::name, c.oid, 'delete') end)
    from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'S'))
  and not exists (
    select from pg_catalog.pg_proc f where f.pronamespace = n.oid and not has_function_privilege($2::name, f.oid, 'execute'))
from pg_catalog.pg_namespace n where n.nspname = $1::text;
