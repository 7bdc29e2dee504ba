-- pause_queue: pauses or resumes a queue; workers see it within a pass
-- param 1 name: text
-- param 2 paused: boolean
-- column 1 name: text
-- transition: none
-- index: queue_pkey
insert into rowlock.queue as q (name, paused) values ($1::text, $2::boolean)
on conflict (name) do update set paused = excluded.paused, updated_at = clock_timestamp()
returning q.name;
