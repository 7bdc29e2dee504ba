-- mark_swept: a sweep that began after these workers were marked has gone through the whole table
-- param 1 workerIds: bigint[]
-- column 1 workerId: bigint
-- transition: none
-- index: worker_pkey
update rowlock.worker w set swept_at = clock_timestamp() where w.id = any ($1::bigint[]) and w.swept_at is null returning w.id;
