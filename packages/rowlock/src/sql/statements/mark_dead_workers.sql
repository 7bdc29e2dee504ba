-- mark_dead_workers: marks incarnations whose lease has ended; only a mark is death, an expired lease may be renewed
-- param 1 workerId: bigint
-- column 1 workerId: bigint
-- index: none, the table is small
-- Not within one lease of the server's start: after an outage everybody gets the time to come back.
update rowlock.worker w set dead_at = clock_timestamp()
where w.id in (
  select v.id from rowlock.worker v
  where v.dead_at is null and v.id <> $1::bigint and v.lease_until < clock_timestamp()
    and clock_timestamp() - pg_postmaster_start_time() > v.lease_ms * interval '1 millisecond'
  order by v.id for update skip locked)
  and w.dead_at is null and w.lease_until < clock_timestamp()
returning w.id;
