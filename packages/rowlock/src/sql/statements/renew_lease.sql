-- renew_lease: extends the lease of an incarnation and tells its place among those that serve one of its queues; no row: it is dead
-- param 1 workerId: bigint
-- param 2 leaseMs: int
-- column 1 peers: int
-- column 2 rank: int
-- transition: none
-- index: worker_pkey
-- A lease that has ended but was not marked is renewed all the same: nobody has taken anything from it yet.
update rowlock.worker w set lease_until = clock_timestamp() + $2::integer * interval '1 millisecond'
from (
  select count(*)::integer as others, count(*) filter (where v.id < $1::bigint)::integer as before
  from rowlock.worker v
  where v.id <> $1::bigint and v.queues && (select m.queues from rowlock.worker m where m.id = $1::bigint) and v.dead_at is null and v.lease_until > clock_timestamp()) p
where w.id = $1::bigint and w.dead_at is null
returning p.others + 1, p.before;
