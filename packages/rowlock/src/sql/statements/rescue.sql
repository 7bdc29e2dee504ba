-- rescue: gives back the jobs in a range of pages whose worker is not alive, by the one decision
-- param 1 fromTid: tid
-- param 2 toTid: tid
-- column 1 id: bigint
-- column 2 claimNo: int
-- column 3 state: text
-- transition: running -> available, retryable, discarded
-- index: none, a TID range scan: no index may know who claimed a row (a claim must stay HOT)
-- What a worker id held when its process ended it, and went on, never began: no crash, and no attempt, is counted. A job
-- that comes back so again and again may be the reason, such as an answer that nobody can receive: after a hundred times
-- it counts as a crash, of which `maxCrashes` are the end, though never as an attempt.
-- The predicate is evaluated for ever, there is no list of the dead: a claim may commit after its worker was marked.
select o.id, o.claim_no, s.state
from (
  select j.id, j.claim_no, j.attempt, (select w.unstarted from rowlock.worker w where w.id = j.claimed_by) as unstarted
  from rowlock.job j
  where j.ctid >= $1::tid and j.ctid < $2::tid and j.claimed_by is not null
    and not exists (select from rowlock.worker w where w.id = j.claimed_by and w.dead_at is null)
  for update skip locked
) o
cross join lateral rowlock.settle(o.id, o.claim_no, case when o.unstarted and o.claim_no - o.attempt < 100 then '{"outcome": "release"}'::jsonb else
  jsonb_build_object('unstarted', coalesce(o.unstarted, false)) ||
  '{"outcome": "crashed", "error": {"name": "WorkerLost", "code": "WORKER_LOST", "message": "The worker that ran this job was lost."}}' end) s;
