-- lift_transaction_timeout: lets this transaction take as long as its statements do
-- transition: none
-- index: none, reads no table
select pg_catalog.set_config('transaction_timeout', '0', true) where pg_catalog.current_setting('server_version_num')::int >= 170000
