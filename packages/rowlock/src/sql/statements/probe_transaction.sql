-- probe_transaction: refused with 25P01 outside a transaction, with 25P02 in an aborted one; leaves nothing behind
-- transition: none
-- index: none, reads no table
savepoint rowlock_probe;
release savepoint rowlock_probe
