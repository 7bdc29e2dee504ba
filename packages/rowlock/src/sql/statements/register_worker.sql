-- register_worker: opens a new incarnation; its id is never used again
-- param 1 leaseMs: int
-- param 2 pid: int
-- param 3 host: text
-- param 4 version: text
-- param 5 queues: text[]
-- param 6 kinds: text[]
-- column 1 workerId: bigint
-- transition: none
-- index: none, an insert
insert into rowlock.worker (lease_until, lease_ms, pid, host, version, queues, kinds)
values (clock_timestamp() + $1::integer * interval '1 millisecond', $1::integer, $2::integer, $3::text, $4::text, $5::text[], $6::text[])
returning id;
