-- begin_transaction: opens a transaction in a session that is set up
-- transition: none
-- index: none, reads no table
begin isolation level read committed
