-- rollback_transaction: rolls back
-- transition: none
-- index: none, reads no table
rollback
