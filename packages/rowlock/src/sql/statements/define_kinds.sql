-- define_kinds: stores what this process knows of its kinds, so that rescuers and SQL callers know their policy
-- param 1 names: text[]
-- param 2 queues: text[]
-- param 3 priorities: int[]
-- param 4 policies: jsonb[]
-- param 5 keeps: text[]
-- param 6 keepArgs: boolean[]
-- column 1 name: text
-- transition: none
-- index: kind_pkey
insert into rowlock.kind as k (name, queue, priority, policy, keep, keep_args)
select i.name, i.queue, i.priority, i.policy, i.keep, i.keep_args
from unnest($1::text[], $2::text[], $3::smallint[], $4::jsonb[], $5::text[], $6::boolean[]) as i (name, queue, priority, policy, keep, keep_args)
order by i.name
on conflict (name) do update
set queue = excluded.queue, priority = excluded.priority, policy = excluded.policy, keep = excluded.keep, keep_args = excluded.keep_args, updated_at = clock_timestamp()
where (k.queue, k.priority, k.policy, k.keep, k.keep_args) is distinct from (excluded.queue, excluded.priority, excluded.policy, excluded.keep, excluded.keep_args)
returning k.name;
