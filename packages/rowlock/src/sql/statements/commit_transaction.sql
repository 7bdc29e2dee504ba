-- commit_transaction: commits; answers ROLLBACK where the transaction had failed
-- transition: none
-- index: none, reads no table
commit
