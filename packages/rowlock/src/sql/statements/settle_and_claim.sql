-- settle_and_claim: completes the given claims and takes new ones, in one commit
-- param 1 tids: tid[]
-- param 2 ids: bigint[]
-- param 3 claimNos: int[]
-- param 4 outputs: jsonb?
-- param 5 workerId: bigint
-- param 6 queues: text[]
-- param 7 slots: int[]
-- param 8 headRunAts: us[]
-- param 9 headIds: bigint[]
-- param 10 parkedQueues: text[]
-- param 11 parkedKinds: text[]
-- column 1 mayClaim: boolean this worker is alive
-- column 2 clock: us
-- column 3 startedAt: us when the server started
-- column 4 missed: text[] "id:claim_no" of those not found at their ctid
-- column 5 queue: text?
-- column 6 kind: text?
-- column 7 priority: int?
-- column 8 policy: jsonb?
-- column 9 parked: boolean?
-- column 10 tids: tid[]
-- column 11 ids: bigint[]
-- column 12 claimNos: int[]
-- column 13 attempts: int[]
-- column 14 runAts: us[]
-- column 15 args: line[]
-- transition: running -> completed
-- transition: available, scheduled, retryable -> running
-- index: job_claim and job_parked (claims), none (settles go by ctid)
-- plan: kept
-- What was claimed comes some jobs a row, column by column: that costs the server a little more than a row for each job, and
-- its client much less. At most 256 share a row, and long args have one to themselves, for a text of all could be more than
-- either can hold. Each row reports, and there is always one. JSON text holds no line break.
-- ctid is the hot address and (id, claim_no) the fence: a moved row is missed here and tried again by id. A claim that
-- was given back is over, even before the next one raises claim_no: hence claimed_by. Counts and
-- heads come from RETURNING, never from the locked set. `(select clock_timestamp())` is evaluated once; bare, it would
-- be a filter over every future row. What differs by kind is read once a statement, as lists that are mostly empty: a
-- join would be planned for one row and probe the table for each. headRunAts and headIds hold ten entries (priorities 0 to 9) for each queue.
-- The delete joins nothing: a join planned while the table was empty, and kept, would go through the whole table for each
-- settle once it is full. `is true` keeps the list of claims from becoming one.
-- outputs: {"id:claim_no": output} of the claims that have one, or null; an array would be walked through for each.
with settled as (
  delete from rowlock.job j
  where j.ctid = any ($1::tid[]) and j.claimed_by is not null
    and ((j.id, j.claim_no) in (select s.id, s.claim_no from unnest($2::bigint[], $3::integer[]) as s (id, claim_no))) is true
  returning j.id, j.claimed_by, j.run_at, j.created_at, j.claimed_at, j.claim_no, j.attempt, j.priority, j.crashes, j.queue, j.kind,
    j.errors, j.args
), kept as (
  insert into rowlock.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, output, errors, args)
  select case when s.kind = any (array(select k.name from rowlock.kind k where k.keep = 'short'))
      then (select r.current_leaf from rowlock.history_ring r where r.name = 'short') else (select r.current_leaf from rowlock.history_ring r where r.name = 'long') end,
    s.id, s.claimed_by, s.run_at, s.created_at, s.claimed_at, (select clock_timestamp()), s.claim_no, s.attempt, s.priority, s.crashes,
    'completed', s.queue, s.kind,
    case when $4::jsonb is not null then $4::jsonb -> (s.id || ':' || s.claim_no) end, s.errors,
    case when s.kind = any (array(select k.name from rowlock.kind k where not k.keep_args)) then null else s.args end
  from settled s
  where s.kind <> all (array(select k.name from rowlock.kind k where k.keep = 'none'))
), me as materialized (
  select exists (select from rowlock.worker w where w.id = $5::bigint and w.dead_at is null) as alive
), claimed as (
  update rowlock.job j
  set claimed_by = $5::bigint, claimed_at = (select clock_timestamp()), claim_no = j.claim_no + 1, attempt = j.attempt + 1
  where j.ctid = any (array(
    select lane.tid
    from unnest($6::text[], $7::integer[]) with ordinality as q (queue, slots, n)
    cross join lateral (
      select l.tid
      from generate_series(0, 9) as p (priority)
      cross join lateral (
        select own.tid from (
          select i.ctid as tid from rowlock.job i
          where i.queue = q.queue and i.priority = p.priority and not i.parked and i.claimed_by is null
            and (i.run_at, i.id) > (rowlock.from_us(($8::bigint[])[(q.n - 1) * 10 + p.priority + 1]), ($9::bigint[])[(q.n - 1) * 10 + p.priority + 1])
            and i.run_at <= (select clock_timestamp())
          order by i.run_at, i.id limit q.slots for no key update skip locked
        ) own
        union all
        select other.tid from unnest($10::text[], $11::text[]) as k (queue, kind)
        cross join lateral (
          select i.ctid as tid from rowlock.job i
          where i.queue = k.queue and i.kind = k.kind and i.priority = p.priority and i.parked and i.claimed_by is null
            and i.run_at <= (select clock_timestamp())
          order by i.run_at, i.id limit q.slots for no key update skip locked
        ) other
        where k.queue = q.queue
      ) l
      limit q.slots
    ) lane
    where (select me.alive from me) and not exists (select from rowlock.queue z where z.name = q.queue and z.paused)
  ))
  returning j.ctid, j.id, j.claim_no, j.attempt, j.priority, j.queue, j.kind, j.run_at, j.policy, j.parked, j.args
)
select (select me.alive from me), rowlock.to_us(clock_timestamp()), rowlock.to_us(pg_postmaster_start_time()),
  case when (select count(*) from settled) < cardinality($2::bigint[])
    then array(select s.id || ':' || s.claim_no from unnest($2::bigint[], $3::integer[]) as s (id, claim_no)
      except select d.id || ':' || d.claim_no from settled d) end,
  jobs.*
from (select) report left join (
  select c.queue, c.kind, c.priority, c.policy, c.parked, array_agg(c.ctid), array_agg(c.id), array_agg(c.claim_no),
    array_agg(c.attempt), array_agg(rowlock.to_us(c.run_at)), string_agg(c.line, E'\n')
  from (select d.*, d.args::text as line from claimed d offset 0) c
  group by c.id / 256, case when octet_length(c.line) > 65536 then c.id end, c.queue, c.kind, c.priority, c.policy, c.parked
) jobs on true;
