-- prove_listening: rings for oneself; heard by this very session, or there is no doorbell here
-- param 1 channel: text
-- param 2 payload: text
-- column 1 backend: int
-- transition: none
-- index: none, reads no table
select pg_catalog.pg_backend_pid() from pg_catalog.pg_notify($1::text, $2::text)
