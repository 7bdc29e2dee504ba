-- forget_workers: deletes incarnations that died more than a day ago and were swept
-- column 1 workerId: bigint
-- transition: none
-- index: none, the table is small
delete from rowlock.worker w where w.dead_at < clock_timestamp() - interval '1 day' and w.swept_at is not null returning w.id;
