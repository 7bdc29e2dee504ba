-- claim_named: takes the one job that a doorbell named
-- param 1 workerId: bigint
-- param 2 queue: text
-- param 3 id: bigint
-- column 1 mayClaim: boolean this worker is alive
-- column 2 clock: us
-- column 3 startedAt: us when the server started
-- column 4 tid: tid?
-- column 5 id: bigint?
-- column 6 claimNo: int?
-- column 7 attempt: int?
-- column 8 priority: int?
-- column 9 queue: text?
-- column 10 kind: text?
-- column 11 runAt: us?
-- column 12 policy: jsonb?
-- column 13 args: text?
-- transition: available, scheduled, retryable -> running
-- index: job_pkey
-- plan: kept
-- For an idle worker: it takes six tenths of the time of settle_and_claim, which looks through lanes. There is always a row.
-- Whoever may connect may ring: what is not of this queue, or may not be claimed, is left alone. `is true`
-- keeps the planner, while the table is empty, from going through the lane by job_claim: the plan is kept.
with me as materialized (
  select exists (select from rowlock.worker w where w.id = $1::bigint and w.dead_at is null) as alive
), claimed as (
  update rowlock.job j
  set claimed_by = $1::bigint, claimed_at = (select clock_timestamp()), claim_no = j.claim_no + 1, attempt = j.attempt + 1
  where j.ctid = any (array(
    select i.ctid from rowlock.job i
    where i.id = $3::bigint
      and (i.queue = $2::text and not i.parked and i.claimed_by is null and i.run_at <= (select clock_timestamp())) is true
      and (select me.alive from me) and not exists (select from rowlock.queue z where z.name = i.queue and z.paused)
    for no key update skip locked
  ))
  returning j.ctid, j.id, j.claim_no, j.attempt, j.priority, j.queue, j.kind, rowlock.to_us(j.run_at), j.policy, j.args::text
)
select (select me.alive from me), rowlock.to_us(clock_timestamp()), rowlock.to_us(pg_postmaster_start_time()), claimed.*
from (select) report left join claimed on true;
