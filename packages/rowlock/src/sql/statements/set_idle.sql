-- set_idle: says that somebody may be waiting for the given time
-- param 1 forMs: int
-- column 1 idleUntil: us
-- transition: none
-- index: none, a sequence outside MVCC
-- plan: kept
-- At most once a second a process, never in a caller's transaction. A hint; the race of two is harmless.
select setval('rowlock.idle', greatest(i.last_value, rowlock.to_us(clock_timestamp()) + $1::integer * 1000::bigint)) from rowlock.idle i;
