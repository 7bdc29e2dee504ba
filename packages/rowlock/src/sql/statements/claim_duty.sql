-- claim_duty: takes a duty that is due by moving its time; nobody holds a lock while working
-- param 1 name: text
-- param 2 everyMs: bigint
-- column 1 position: bigint
-- transition: none
-- index: duty_pkey
update rowlock.duty d set next_at = clock_timestamp() + $2::bigint * interval '1 millisecond'
where d.name = (select e.name from rowlock.duty e where e.name = $1::text and e.next_at <= clock_timestamp() for update skip locked)
returning d.position;
