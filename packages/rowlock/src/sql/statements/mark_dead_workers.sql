-- mark_dead_workers: marks incarnations whose lease has ended; only a mark is death, an expired lease may be renewed
-- param 1 workerId: bigint
-- param 2 notAfter: us
-- column 1 workerId: bigint
-- transition: none
-- index: none, the table is small
-- Not within one lease of the server's start: after an outage everybody gets the time to come back. Not when the clock
-- is later than notAfter, the most that the marking process's own monotonic clock allows: it has jumped, and no lease
-- has ended by that. A renewal that comes first wins: the conditions are seen again once the row is locked.
update rowlock.worker w set dead_at = clock_timestamp()
where w.id in (
  select v.id from rowlock.worker v
  where v.dead_at is null and v.id <> $1::bigint and v.lease_until < clock_timestamp()
    and clock_timestamp() <= rowlock.from_us($2::bigint)
    and clock_timestamp() - pg_postmaster_start_time() > v.lease_ms * interval '1 millisecond'
  order by v.id for update skip locked)
  and w.dead_at is null and w.lease_until < clock_timestamp()
returning w.id;
