-- The drain: each transaction is one statement and one commit that settles the batch of the transaction before (delete,
-- history) and claims the next one. Each client takes exactly :batches batches and settles the last one in a
-- transaction of its own, so nothing is left over and no claim comes back empty.
--
-- pgbench has to remember a batch between two transactions: \gset puts the claimed addresses, as one array, into the
-- variable :tids, which goes back as a literal. The same bytes cross the wire in a queue. By contrast, looking them up
-- by claimed_by would need an index that every claim has to feed, and a table of batches would be one more row to write.
-- :at and :id are the last row this client claimed: it scans from there and not over the rows that are gone.
--
-- pgbench variables: batches, and to begin with batch=0, tids={}, at=-infinity, id=0.
\if :batch < :batches
with settled as (
  delete from ceiling.job j where j.ctid = any (':tids'::tid[])
  returning j.*
), kept as (
  insert into ceiling.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, output, errors, args)
  select 7, s.id, s.claimed_by, s.run_at, s.created_at, s.claimed_at, clock_timestamp(), s.claim_no, s.attempt, s.priority, s.crashes,
    'completed', s.queue, s.kind, null, s.errors, s.args
  from settled s
), claimed as (
  update ceiling.job j
  set claimed_by = :client_id, claimed_at = clock_timestamp(), claim_no = j.claim_no + 1, attempt = j.attempt + 1
  where j.ctid = any (array(
    select i.ctid from ceiling.job i
    where i.queue = 'default' and i.priority = 5 and not i.parked and i.claimed_by is null
      and (i.run_at, i.id) > (':at', :id) and i.run_at <= (select clock_timestamp())
    order by i.run_at, i.id limit 500 for no key update skip locked))
  returning j.ctid, j.run_at, j.id
)
select array_agg(ctid) as tids, max(run_at) as at, max(id) as id from claimed
\gset
\set batch :batch + 1
\else
with settled as (
  delete from ceiling.job j where j.ctid = any (':tids'::tid[])
  returning j.*
)
insert into ceiling.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, output, errors, args)
select 7, s.id, s.claimed_by, s.run_at, s.created_at, s.claimed_at, clock_timestamp(), s.claim_no, s.attempt, s.priority, s.crashes,
  'completed', s.queue, s.kind, null, s.errors, s.args
from settled s;
\endif
