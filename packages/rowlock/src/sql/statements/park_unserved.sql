-- park_unserved: moves waiting jobs of kinds that may not run here out of the lanes of their queue, within the first rows of each
-- param 1 queue: text
-- param 2 served: text[]
-- param 3 window: int
-- param 4 floorRunAts: us[]
-- param 5 floorIds: bigint[]
-- column 1 id: bigint
-- transition: available -> available (parked)
-- index: job_claim
-- The claim index has no kind, so unserved or paused kinds would be claimed one by one. All of them go at once: thousands
-- of kinds, parked by a statement each, would lock each other's rows away from the claims. The window bounds the cost where
-- they are few among many; claims park what is left. Ten floors, one a lane: what lies below is claimed, in any number.
update rowlock.job j set parked = true
where j.ctid = any (array(
  select c.tid from (
    select l.tid, l.kind
    from generate_series(0, 9) as p (priority)
    cross join lateral (
      select i.ctid as tid, i.kind from rowlock.job i
      where i.queue = $1::text and i.priority = p.priority and not i.parked and i.claimed_by is null
        and (i.run_at, i.id) > (rowlock.from_us(coalesce(($4::bigint[])[p.priority + 1], 0)), coalesce(($5::bigint[])[p.priority + 1], 0))
        and i.run_at <= (select clock_timestamp())
      order by i.run_at, i.id limit $3::integer for no key update skip locked
    ) l
    limit $3::integer
  ) c
  where c.kind <> all ($2::text[])))
returning j.id;
