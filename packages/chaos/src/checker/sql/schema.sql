-- The evidence of a round, and the tables of the engine as the checker reads them. Shares nothing with the engine.
create schema chaos;
-- Written by producers in the transaction that enqueues: there if and only if that committed.
create table chaos.token (token bigint primary key);
-- What producers were told of each token they tried to enqueue.
create table chaos.enqueued (token bigint primary key, route text, fate text, failures integer, max_attempts integer, snooze boolean);
-- The journals of all worker processes. mono: monotonic ms of the machine; at: its wall clock, which the server reads too.
create table chaos.started (token bigint, id bigint, claim_no integer, attempt integer, pid integer, mono float8, at timestamptz);
create table chaos.ended (token bigint, id bigint, claim_no integer, pid integer, result text, mono float8, at timestamptz);
create table chaos.told (id bigint, claim_no integer, pid integer, event text, outcome text, mono float8, at timestamptz);
-- Faults that struck; without pid they struck everybody.
create table chaos.hit (n integer, what text, pid integer, lost_at timestamptz, running integer);
create table chaos.setting (lossless boolean, bound_ms integer);

-- Every job, wherever it is.
create view chaos.place as
select 'live' as place, id, (args->>'token')::bigint as token, claim_no, attempt, crashes, errors, null::text as reason from rowlock.job
union all
select state, id, (args->>'token')::bigint, claim_no, attempt, crashes, errors, reason from rowlock.finished
union all
select 'discarded', id, (args->>'token')::bigint, claim_no, attempt, crashes, errors, reason from rowlock.discarded;

-- Whether a token must be there (true), must not (false), or may be (null).
create view chaos.fate as
select e.token, e.route, e.fate, e.failures, e.max_attempts,
  case
    when t.token is not null or e.fate = 'acknowledged' then true
    when e.route = 'direct' and e.fate = 'unknown' then null
    else false
  end as must_exist
from chaos.enqueued e left join chaos.token t on t.token = e.token;

-- Attempts that were given up because their worker was lost, as the jobs themselves remember them.
create view chaos.crash as
select p.id, p.token, (e->>'claimNo')::integer as claim_no, (e->>'worker')::bigint as worker_id, (e->>'at')::timestamptz as given_back_at
from chaos.place p cross join lateral jsonb_array_elements(coalesce(p.errors, '[]')) e
where e->>'code' = 'WORKER_LOST';

-- An attempt of chaos.crash, and the fault that took it.
create view chaos.loss as
select c.*, w.pid, hit.lost_at
from chaos.crash c
left join rowlock.worker w on w.id = c.worker_id
left join lateral (
  select h.lost_at from chaos.hit h
  where (h.pid = w.pid or h.pid is null) and h.lost_at <= least(c.given_back_at, case when h.pid is null then w.dead_at end)
  order by h.lost_at desc limit 1
) hit on true;

-- From the fault that took a job to the moment it could be claimed again, and to its next handler; or to the next fault, where
-- that took the job before its handler began: that loss is a row of its own.
create view chaos.recovery as
select l.id, l.claim_no, l.pid, l.lost_at, l.given_back_at,
  (extract(epoch from l.given_back_at - l.lost_at) * 1000)::float8 as given_back_ms,
  (extract(epoch from coalesce(lost_again.at, started.at) - l.lost_at) * 1000)::float8 as started_again_ms
from chaos.loss l
left join lateral (
  select s.claim_no, s.at from chaos.started s where s.id = l.id and s.claim_no > l.claim_no order by s.claim_no limit 1
) started on true
left join lateral (
  select n.lost_at as at from chaos.loss n where n.id = l.id and n.claim_no > l.claim_no and n.claim_no < started.claim_no and n.lost_at >= l.given_back_at
  order by n.claim_no limit 1
) lost_again on true;
