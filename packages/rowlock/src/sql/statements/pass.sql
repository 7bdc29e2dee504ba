-- pass: what a worker must know four times a second: floors, due times, pauses, parked kinds
-- param 1 queues: text[]
-- param 2 kinds: text[]
-- param 3 floorRunAts: us[]
-- param 4 floorIds: bigint[]
-- param 5 closedUntil: us
-- param 6 openEpoch: bigint?
-- column 1 clock: us
-- column 2 startedAt: us
-- column 3 openEpoch: bigint the first that is not closed
-- column 4 lowest: jsonb
-- column 5 nextDue: us? of the earliest job in these lanes that is not due yet
-- column 6 pausedKinds: text[]
-- column 7 parked: text JSON pairs [queue, kind] of which parked jobs wait here
-- transition: none
-- index: job_claim, job_parked
-- plan: kept
-- lowest: for each lane (ten a queue) [runAt, id] of the first unclaimed row above the floor and below closedUntil, or
-- null. Locked rows count: their claim may roll back. closedUntil must come from the answer of an EARLIER pass: a row
-- committed before its epoch was closed is visible only to snapshots taken after that.
with lane as (
  select q.queue, p.priority::smallint as priority, (q.n - 1) * 10 + p.priority + 1 as n
  from unnest($1::text[]) with ordinality as q (queue, n) cross join generate_series(0, 9) as p (priority)
)
select rowlock.to_us(clock_timestamp()), rowlock.to_us(pg_postmaster_start_time()), rowlock.close_epochs($6::bigint),
  (select jsonb_agg(low.at order by l.n) from lane l left join lateral (
    select jsonb_build_array(rowlock.to_us(i.run_at), i.id::text) as at from rowlock.job i
    where i.queue = l.queue and i.priority = l.priority and not i.parked and i.claimed_by is null
      and (i.run_at, i.id) > (rowlock.from_us(($3::bigint[])[l.n]), ($4::bigint[])[l.n]) and i.run_at < rowlock.from_us($5::bigint)
    order by i.run_at, i.id limit 1
  ) low on true),
  (select rowlock.to_us(min(due.run_at)) from lane l cross join lateral (
    select i.run_at from rowlock.job i
    where i.queue = l.queue and i.priority = l.priority and not i.parked and i.run_at > (select clock_timestamp())
    order by i.run_at limit 1
  ) due),
  array(select k.name from rowlock.kind k where k.paused),
  coalesce((select json_agg(json_build_array(q.queue, k.kind)) from unnest($1::text[]) as q (queue) cross join unnest($2::text[]) as k (kind)
    where exists (select from rowlock.job i where i.queue = q.queue and i.kind = k.kind and i.priority between 0 and 9 and i.parked
      and i.claimed_by is null and i.run_at <= (select clock_timestamp()))), '[]');
