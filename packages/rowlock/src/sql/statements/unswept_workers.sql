-- unswept_workers: dead workers for whom no sweep has gone through the whole table since they were marked
-- column 1 workerIds: text
-- column 2 pages: int
-- index: none, the table is small
select coalesce(json_agg(w.id::text), '[]')::text, (pg_relation_size('rowlock.job'::regclass) / current_setting('block_size')::integer)::integer
from rowlock.worker w where w.dead_at is not null and w.swept_at is null;
