-- grant_took: whether a role has the rights of grant_run_time_role; a grant by who may not grant is only a warning
-- param 1 schema: text
-- param 2 role: text
-- column 1 took: boolean
-- transition: none
-- index: none, reads no table of ours
select has_schema_privilege($2::name, n.oid, 'usage') and (
  select bool_and(has_table_privilege($2::name, c.oid, case when c.relname = 'migration' then 'select' else 'insert' end))
  from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p'))
from pg_catalog.pg_namespace n where n.nspname = $1::text;
