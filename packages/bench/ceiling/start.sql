-- The least a database takes from a job's arrival to its start: one commit that stores it, one that claims it (and
-- settles the job before). No client has to be woken. The last job stays claimed.
-- pgbench variables to begin with: tids={}, at=-infinity, id=0.
insert into ceiling.job (queue, kind, priority, run_at, created_at, args)
values ('default', 'bench', 5, clock_timestamp(), clock_timestamp(), '{}');
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
