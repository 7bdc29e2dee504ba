-- session_identity: which backend answers, to tell a pooler from a server
-- column 1 backendPid: int
-- transition: none
-- index: none, reads no table
select pg_catalog.pg_backend_pid()
