-- role_exists: whether the server has a role of this name
-- param 1 role: text
-- column 1 isThere: boolean
-- transition: none
-- index: none, reads no table of ours
select exists (select from pg_catalog.pg_roles r where r.rolname = $1::text);
