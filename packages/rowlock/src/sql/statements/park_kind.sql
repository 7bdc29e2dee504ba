-- park_kind: moves waiting jobs of a kind out of the lanes of their queue, within the first rows of the queue
-- param 1 queue: text
-- param 2 kind: text
-- param 3 window: int
-- column 1 id: bigint
-- transition: available -> available (parked)
-- index: job_claim
-- The claim index has no kind, so unserved or paused kinds would be claimed one by one. The window bounds the cost where
-- they are few among many; claims park what is left.
update rowlock.job j set parked = true
where j.ctid = any (array(
  select c.tid from (
    select i.ctid as tid, i.kind from rowlock.job i
    where i.queue = $1::text and not i.parked and i.claimed_by is null and i.priority between 0 and 9 and i.run_at <= (select clock_timestamp())
    order by i.priority, i.run_at, i.id limit $3::integer for no key update skip locked
  ) c
  where c.kind = $2::text))
returning j.id;
