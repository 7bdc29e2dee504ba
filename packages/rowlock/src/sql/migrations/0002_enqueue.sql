-- 0002_enqueue: the way into a lane: epochs, the doorbell, enqueue
-- compatible: 1

-- The advisory lock of an epoch (a second since 1970) is (class, epoch), both as the 32 bits that the lock table holds.
create function rowlock.epoch_class() returns integer
  language sql stable parallel safe
  return 'rowlock.job'::regclass::oid::integer;

create function rowlock.epoch_key(epoch bigint) returns integer
  language sql immutable parallel safe
  return (((epoch + 2147483648) & 4294967295) - 2147483648)::integer;

-- Every write that makes a row claimable stamps run_at with this. It holds a shared lock on the current epoch (second)
-- until its transaction ends, so an uncommitted row never has a run_at below an epoch that can be closed. The loop
-- matters: a stamp taken after its second has passed would lie in an epoch that this transaction does not hold.
-- Its first epoch is enough for a transaction, since none above is closed while it is held; one a second would in time
-- fill the lock table of the server. The setting ends with the transaction or the savepoint, as the lock does.
create function rowlock.enter() returns timestamptz
  language plpgsql volatile
as $$
declare
  held constant text := 'rowlock.entered_' || to_hex(rowlock.epoch_class());
  stamp timestamptz := clock_timestamp();
  epoch bigint;
begin
  if current_setting(held, true) <> '' then return stamp; end if;
  loop
    epoch := floor(date_part('epoch', stamp));
    perform pg_advisory_xact_lock_shared(rowlock.epoch_class(), rowlock.epoch_key(epoch));
    stamp := clock_timestamp();
    exit when floor(date_part('epoch', stamp)) = epoch;
  end loop;
  perform set_config(held, epoch::text, true);
  return stamp;
end $$;

-- Closes epochs from `first` on and returns the first one still open. An epoch is closed once its second has passed and
-- nobody holds it. Far behind (or unknown: null), the lock table is read once instead of trying second by second.
-- Locks of the session would outlive a statement that is cancelled here, and hold every floor down.
create function rowlock.close_epochs(first bigint) returns bigint
  language plpgsql volatile
as $$
declare
  class constant integer := rowlock.epoch_class();
  present constant bigint := floor(date_part('epoch', clock_timestamp()));
  epoch bigint := first;
begin
  if epoch is null or epoch < present - 60 then
    select min(l.objid::bigint) into epoch from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 2 and l.classid::integer = class and l.mode = 'ShareLock'
      and l.database = (select d.oid from pg_database d where d.datname = current_database());
    return least(coalesce(epoch, present), present);
  end if;
  while epoch < present loop
    exit when not pg_try_advisory_xact_lock(class, rowlock.epoch_key(epoch));
    epoch := epoch + 1;
  end loop;
  return epoch;
end $$;

-- These three are not in SQL but PL/pgSQL, which keeps their plans: with a query in it, a SQL function is planned at each call.
create function rowlock.channel() returns text
  language plpgsql stable
as $$
begin
  return (
    select case when octet_length(n.nspname) <= 55 then 'rowlock:' || n.nspname else 'rowlock:' || md5(n.nspname) end
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.oid = 'rowlock.job'::regclass);
end $$;

-- Rings at commit, and only when somebody may be waiting: a NOTIFY takes a database-wide lock at commit. A ring about one
-- job names it.
create function rowlock.ring_doorbell(p_queue text, p_run_at timestamptz, p_count integer, p_id bigint) returns void
  language plpgsql volatile
as $$
begin
  perform pg_notify(rowlock.channel(),
    json_build_array(p_queue, rowlock.to_us(p_run_at), p_count, floor(random() * 1000000), p_id::text)::text);
end $$;

create function rowlock.somebody_waits(stamp timestamptz) returns boolean
  language plpgsql volatile
as $$
begin
  return (select i.last_value > rowlock.to_us(stamp) from rowlock.idle i);
end $$;

-- When a job enqueued at `stamp` is due: never earlier, or it would lie behind the heads and in a closed epoch.
create function rowlock.due_at(stamp timestamptz, run_at_us bigint, delay_ms bigint) returns timestamptz
  language sql stable parallel safe
  return greatest(stamp, coalesce(rowlock.from_us(run_at_us), stamp) + coalesce(delay_ms, 0) * interval '1 millisecond');

create function rowlock.enqueue_job(
  p_queue text, p_kind text, p_priority smallint, p_run_at bigint, p_delay bigint, p_policy jsonb, p_args jsonb, p_wake boolean
) returns bigint
  language plpgsql volatile
as $$
declare
  stamp constant timestamptz := rowlock.enter();
  due constant timestamptz := rowlock.due_at(stamp, p_run_at, p_delay);
  stored bigint;
begin
  insert into rowlock.job as j (queue, kind, priority, run_at, created_at, policy, args)
  values (p_queue, p_kind, p_priority, due, stamp, p_policy, p_args)
  returning j.id into stored;
  if p_wake and due < stamp + interval '1 second' and rowlock.somebody_waits(stamp) then
    perform rowlock.ring_doorbell(p_queue, due, 1, stored);
  end if;
  return stored;
end $$;

-- One job, in a transaction of its own. If somebody waits, the ring does not wait for the disk: it goes out while the commit
-- is being flushed, and the flush of the claim waits for all of the log before it, so a job that runs is on disk. This
-- call returns once it is, too: a commit with something in the log waits for what came before. Sessions keep the call:
-- a later migration may only replace it, with the same parameters.
create procedure rowlock.enqueue_alone(
  p_queue text, p_kind text, p_priority smallint, p_run_at bigint, p_delay bigint, p_policy jsonb, p_args jsonb, inout id bigint
)
  language plpgsql
as $$
declare
  now constant timestamptz := clock_timestamp();
begin
  if not rowlock.somebody_waits(now) or rowlock.due_at(now, p_run_at, p_delay) >= now + interval '1 second' then
    id := rowlock.enqueue_job(p_queue, p_kind, p_priority, p_run_at, p_delay, p_policy, p_args, true);
    return;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  id := rowlock.enqueue_job(p_queue, p_kind, p_priority, p_run_at, p_delay, p_policy, p_args, true);
  commit;
  begin
    perform pg_logical_emit_message(true, 'rowlock', '');
  exception when others then
    raise exception 'rowlock.enqueue_alone: job % is committed, but may not be on disk yet: %', id, sqlerrm using errcode = '58000';
  end;
end $$;

-- Arrays run in parallel; an array of one element (queues, kinds, priorities) stands for all rows.
-- p_args: one JSON text a line. As an array every quote in it would be escaped there and back.
create function rowlock.enqueue_jobs(
  p_queues text[], p_kinds text[], p_priorities smallint[], p_run_ats bigint[], p_delays bigint[],
  p_policies jsonb[], p_args text, p_wake boolean
) returns setof bigint
  language plpgsql volatile
as $$
declare
  stamp timestamptz;
  stored integer;
begin
  if strpos(p_args, E'\n') = 0 then
    return next rowlock.enqueue_job(p_queues[1], p_kinds[1], p_priorities[1], p_run_ats[1], p_delays[1], p_policies[1], p_args::jsonb, p_wake);
    return;
  end if;
  stamp := rowlock.enter();
  return query
    insert into rowlock.job as j (queue, kind, priority, run_at, created_at, policy, args)
    select coalesce(i.queue, p_queues[1]), coalesce(i.kind, p_kinds[1]), coalesce(i.priority, p_priorities[1]),
      rowlock.due_at(stamp, i.run_at, i.delay), stamp, i.policy, i.args::jsonb
    from rows from (
      unnest(p_queues), unnest(p_kinds), unnest(p_priorities), unnest(p_run_ats), unnest(p_delays), unnest(p_policies), string_to_table(p_args, E'\n')
    ) as i (queue, kind, priority, run_at, delay, policy, args)
    returning j.id;
  get diagnostics stored = row_count;
  if p_wake and rowlock.somebody_waits(stamp) then
    perform rowlock.ring_doorbell(due.queue, due.run_at, due.jobs, null)
    from (
      select coalesce(i.queue, p_queues[1]) as queue, count(*)::integer as jobs, min(rowlock.due_at(stamp, i.run_at, i.delay)) as run_at
      from rows from (unnest(p_queues), unnest(p_run_ats), unnest(p_delays), generate_series(1, stored)) as i (queue, run_at, delay, n)
      group by 1
    ) due
    where due.run_at < stamp + interval '1 second';
  end if;
end $$;

create function rowlock.is_number(value jsonb, low numeric, high numeric, whole boolean) returns boolean
  language sql immutable parallel safe
  return case when jsonb_typeof(value) = 'number'
    then value::numeric between low and high and (not whole or value::numeric = trunc(value::numeric)) else false end;

create function rowlock.is_backoff(backoff jsonb) returns boolean
  language sql immutable parallel safe
  return case when jsonb_typeof(backoff) = 'object' then
    case backoff->>'type'
      when 'fixed' then rowlock.is_number(backoff->'delayMs', 0, 3153600000000, false) and backoff - array['type', 'jitter', 'delayMs'] = '{}'
      when 'linear' then rowlock.is_number(backoff->'stepMs', 0, 3153600000000, false) and rowlock.is_number(backoff->'maxMs', 0, 3153600000000, false)
        and backoff - array['type', 'jitter', 'stepMs', 'maxMs'] = '{}'
      when 'exponential' then rowlock.is_number(backoff->'baseMs', 0, 3153600000000, false) and rowlock.is_number(backoff->'maxMs', 0, 3153600000000, false)
        and rowlock.is_number(backoff->'factor', 1, 1000, false) and backoff - array['type', 'jitter', 'baseMs', 'maxMs', 'factor'] = '{}'
      else false end
    and (not backoff ? 'jitter' or rowlock.is_number(backoff->'jitter', 0, 1, false))
    else false end;

-- Whether settle and rescue can read it: one that they cannot would stop them for every job. Numbers as in TypeScript.
create function rowlock.is_policy(policy jsonb) returns boolean
  language sql immutable parallel safe
  return case when jsonb_typeof(policy) = 'object' then
    policy - array['maxAttempts', 'maxCrashes', 'timeoutMs', 'backoff'] = '{}'
    and (not policy ? 'maxAttempts' or rowlock.is_number(policy->'maxAttempts', 1, 10000, true))
    and (not policy ? 'maxCrashes' or rowlock.is_number(policy->'maxCrashes', 1, 10000, true))
    and (not policy ? 'timeoutMs' or rowlock.is_number(policy->'timeoutMs', 1, 3153600000000, false))
    and (not policy ? 'backoff' or rowlock.is_backoff(policy->'backoff'))
    else false end;

-- For people, triggers and other languages. Queue, priority and policy come from the kind, once a process has defined it.
create function rowlock.enqueue(
  kind text, args jsonb default '{}', queue text default null, priority integer default null,
  run_at timestamptz default null, delay interval default null, policy jsonb default null
) returns bigint
  language plpgsql volatile
as $$
declare
  v_queue text;
  v_priority smallint;
  v_bytes constant bigint := octet_length(enqueue.args::text);
begin
  if enqueue.kind is null or enqueue.kind = '' or octet_length(enqueue.kind) > 200 then
    raise exception 'rowlock.enqueue: kind must be 1 to 200 bytes' using errcode = '22023', hint = 'Pass the name of a defined kind.';
  end if;
  if enqueue.queue = '' or octet_length(enqueue.queue) > 200 then
    raise exception 'rowlock.enqueue: queue must be 1 to 200 bytes' using errcode = '22023', hint = 'Pass a queue name, or null for the queue of the kind.';
  end if;
  if enqueue.priority not between 0 and 9 then
    raise exception 'rowlock.enqueue: priority % is not between 0 and 9', enqueue.priority using errcode = '22023', hint = 'Lower runs first; 5 is the default.';
  end if;
  if enqueue.args is null then
    raise exception 'rowlock.enqueue: args must not be null' using errcode = '22023', hint = 'Pass ''{}'' for a kind without args.';
  end if;
  if v_bytes > 104857600 then
    raise exception 'rowlock.enqueue: args are % bytes of JSON, more than 104857600', v_bytes
      using errcode = '22023', hint = 'Store the data elsewhere and pass a reference. A number with a large exponent is stored with all its digits.';
  end if;
  if not isfinite(enqueue.run_at) or enqueue.run_at >= '2200-01-01Z' then
    raise exception 'rowlock.enqueue: run_at must be a finite time before the year 2200' using errcode = '22023', hint = 'Pass null for now.';
  end if;
  if enqueue.delay not between interval '-100 years' and interval '100 years' then
    raise exception 'rowlock.enqueue: delay must be at most 100 years' using errcode = '22023', hint = 'Pass null for none.';
  end if;
  if enqueue.run_at + enqueue.delay not between '1970-01-01Z' and '2299-01-01Z' then
    raise exception 'rowlock.enqueue: run_at plus delay must be between the years 1970 and 2299' using errcode = '22023', hint = 'Pass one of them only.';
  end if;
  if enqueue.policy is not null and not rowlock.is_policy(enqueue.policy) then
    raise exception 'rowlock.enqueue: policy is not one that can be followed: %', left(enqueue.policy::text, 200)
      using errcode = '22023', hint = 'Pass an object like {"maxAttempts": 3, "timeoutMs": 30000, "backoff": {"type": "fixed", "delayMs": 5000}}, or null for the policy of the kind.';
  end if;
  select k.queue, k.priority into v_queue, v_priority from rowlock.kind k where k.name = enqueue.kind;
  return rowlock.enqueue_job(
    coalesce(enqueue.queue, v_queue, 'default'), enqueue.kind, coalesce(enqueue.priority, v_priority, 5)::smallint,
    rowlock.to_us(enqueue.run_at), (extract(epoch from enqueue.delay) * 1000)::bigint, enqueue.policy, enqueue.args, true);
end $$;
