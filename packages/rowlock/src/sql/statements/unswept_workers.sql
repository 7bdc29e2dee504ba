-- unswept_workers: dead workers for whom no sweep has gone through the whole table since they were marked
-- column 1 workerIds: bigint[]
-- column 2 pages: int of the table of jobs
-- transition: none
-- index: none, the table is small
select array(select w.id from rowlock.worker w where w.dead_at is not null and w.swept_at is null),
  (pg_relation_size('rowlock.job'::regclass) / current_setting('block_size')::integer)::integer;
