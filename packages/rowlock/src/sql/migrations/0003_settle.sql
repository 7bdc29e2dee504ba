-- 0003_settle: the one decision of what follows an attempt, settle by facts, and the turning of history
-- compatible: 1

-- The policy of a kind that no process has defined yet; equal to the defaults table of the client (a test compares them).
create function rowlock.default_policy() returns jsonb
  language sql immutable parallel safe
  return '{"maxAttempts": 10, "maxCrashes": 5, "timeoutMs": 900000,
           "backoff": {"type": "exponential", "baseMs": 2000, "factor": 2, "maxMs": 3600000, "jitter": 0.2}}'::jsonb;

-- Delay in ms before attempt `n` + 1. Exponents are capped, so that attempt 10,000 does not overflow.
create function rowlock.backoff_ms(backoff jsonb, n integer, jitter float8) returns float8
  language sql immutable parallel safe
  return least(
    case backoff->>'type'
      when 'fixed' then (backoff->>'delayMs')::float8
      when 'linear' then least((backoff->>'stepMs')::float8 * n, (backoff->>'maxMs')::float8)
      when 'exponential' then least((backoff->>'baseMs')::float8 * power((backoff->>'factor')::float8, least(greatest(n, 1) - 1, 100)), (backoff->>'maxMs')::float8)
    end * (1 + coalesce((backoff->>'jitter')::float8, 0) * (2 * jitter - 1)),
    coalesce((backoff->>'maxMs')::float8, 'infinity'));

-- The one decision of what follows an attempt, for worker, rescue and SQL callers alike. `jitter` is uniform in [0, 1).
-- Whatever a policy says, no delay is negative (the job would come back behind the heads) and attempts end while
-- smallint can count them (the claim of one more would fail, and with it the lane).
create function rowlock.decide(
  policy jsonb, fact jsonb, attempt integer, crashes integer, jitter float8,
  out state text, out delay interval, out refund boolean, out reason text
)
  language sql immutable parallel safe
begin atomic
  select d.state, make_interval(secs => greatest(d.delay_ms, 0) / 1000.0), d.refund, d.reason
  from (
    select fact->>'outcome' as outcome, (fact->>'delayMs')::float8 as delay_ms,
      coalesce((fact->>'unstarted')::boolean, false) as unstarted, attempt >= least((policy->>'maxAttempts')::numeric, 10000) as spent,
      crashes + 1 >= least((policy->>'maxCrashes')::numeric, 10000) as poison
  ) f
  cross join lateral (
    select 'completed' as state, 0::float8 as delay_ms, false as refund, null::text as reason where f.outcome = 'completed'
    union all select 'cancelled', 0, false, fact->>'reason' where f.outcome = 'cancel'
    union all select 'discarded', 0, false, coalesce(fact->>'reason', 'DISCARDED') where f.outcome = 'discard'
    union all select 'scheduled', f.delay_ms, true, null where f.outcome = 'snooze'
    union all select 'available', 0, true, null where f.outcome in ('release', 'park')
    union all select 'discarded', 0, false, 'MAX_ATTEMPTS' where f.outcome in ('failed', 'retry', 'crashed') and f.spent and not f.unstarted
    union all select 'discarded', 0, false, 'POISON' where f.outcome = 'crashed' and (not f.spent or f.unstarted) and f.poison
    union all select 'retryable', coalesce(f.delay_ms, rowlock.backoff_ms(policy->'backoff', attempt, jitter)), false, null
      where f.outcome in ('failed', 'retry') and not f.spent
    union all select 'retryable', case when crashes = 0 then 0 else rowlock.backoff_ms(policy->'backoff', crashes, jitter) end, f.unstarted, null
      where f.outcome = 'crashed' and (not f.spent or f.unstarted) and not f.poison
  ) d;
end;

-- Settles one claim by a fact: {"outcome": completed|failed|retry|snooze|cancel|discard|release|park|crashed,
-- "delayMs", "output", "error", "reason", "unstarted"}. No row: the fence (id, claim_no) refused. Its plans are cached (planned
-- afresh, a fact took 1.1 ms against 0.3) and may date from an empty table: in any session they must go by the key.
create function rowlock.settle(p_id bigint, p_claim_no integer, p_fact jsonb, out state text, out run_at timestamptz)
  returns setof record
  language plpgsql volatile
  set enable_seqscan = off
as $$
declare
  j record;
  d record;
  stamp timestamptz;
  is_sound boolean;
  v_errors jsonb;
begin
  select t.queue, t.kind, t.claimed_by, t.claimed_at, t.attempt, t.crashes, t.errors, t.policy into j
  from rowlock.job t where t.id = p_id and t.claim_no = p_claim_no and t.claimed_by is not null for update;
  if not found then return; end if;
  -- With the row locked and a fresh snapshot: a job that moved to a live incarnation meanwhile is not an orphan.
  if p_fact->>'outcome' = 'crashed' and exists (select from rowlock.worker w where w.id = j.claimed_by and w.dead_at is null) then
    return;
  end if;

  -- A policy that makes no sense (SQL callers may write any) must not stop the rescue of the jobs beside it.
  begin
    select c.state, c.delay, c.refund, c.reason into d
    from rowlock.decide(
      rowlock.default_policy() || coalesce((select k.policy from rowlock.kind k where k.name = j.kind), '{}') || coalesce(j.policy, '{}'),
      p_fact, j.attempt, j.crashes, random()) c;
    stamp := clock_timestamp() + d.delay;
    is_sound := d.state is not null;
  exception when data_exception then
    is_sound := false;
  end;
  if not is_sound then
    select c.state, c.delay, c.refund, c.reason into d
    from rowlock.decide(rowlock.default_policy(), p_fact, j.attempt, j.crashes, random()) c;
  end if;
  if d.state is null then
    raise exception 'rowlock.settle: outcome % is not known', p_fact->>'outcome' using errcode = '22023',
      hint = 'Use completed, failed, retry, snooze, cancel, discard, release, park or crashed.';
  end if;
  v_errors := j.errors;
  if p_fact ? 'error' then
    v_errors := rowlock.remember_error(v_errors, p_fact->'error' || jsonb_build_object(
      'attempt', j.attempt, 'claimNo', p_claim_no, 'worker', j.claimed_by::text, 'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')));
  end if;

  state := d.state;
  if d.state in ('completed', 'cancelled') then
    with gone as (delete from rowlock.job t where t.id = p_id returning t.*)
    insert into rowlock.finished (leaf, id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, reason, output, errors, args)
    select r.current_leaf, g.id, g.claimed_by, g.run_at, g.created_at, g.claimed_at, clock_timestamp(), g.claim_no, g.attempt, g.priority, g.crashes, d.state,
      g.queue, g.kind, d.reason, p_fact->'output', v_errors, case when coalesce(k.keep_args, true) then g.args end
    from gone g left join rowlock.kind k on k.name = g.kind join rowlock.history_ring r on r.name = coalesce(k.keep, 'long');
  elsif d.state = 'discarded' then
    with gone as (delete from rowlock.job t where t.id = p_id returning t.*)
    insert into rowlock.discarded (id, worker_id, run_at, created_at, claimed_at, finished_at, claim_no, attempt, crashes, priority, queue, kind, reason, policy, errors, args)
    select g.id, g.claimed_by, g.run_at, g.created_at, g.claimed_at, clock_timestamp(), g.claim_no, g.attempt,
      g.crashes + case when p_fact->>'outcome' = 'crashed' then 1 else 0 end, g.priority, g.queue, g.kind, d.reason, g.policy, v_errors, g.args
    from gone g;
  else
    stamp := rowlock.enter();
    update rowlock.job t
    set claimed_by = null, claimed_at = null, run_at = stamp + d.delay, errors = v_errors,
      attempt = t.attempt - case when d.refund and t.attempt > 0 then 1 else 0 end,
      crashes = t.crashes + case when p_fact->>'outcome' = 'crashed' then 1 else 0 end,
      parked = p_fact->>'outcome' = 'park'
    where t.id = p_id
    returning t.run_at into settle.run_at;
    if rowlock.somebody_waits(stamp) and d.delay < interval '1 second' then
      perform rowlock.ring_doorbell(j.queue, settle.run_at, 1, case when p_fact->>'outcome' <> 'park' then p_id end);
    end if;
  end if;
  return next;
end $$;

-- What history has of these jobs, since the earliest could have ended. By summaries of its pages, which only a bitmap scan
-- reads; once for all ids, for what no summary covers yet is read through. Both conditions are arrays: of a comparison and
-- an array the planner may leave the array out, and read all that ended since (ADR 0010). Planned for its values, for only
-- then are ids compared by a hash; without parallel workers, which it would take for a wrong guess. Sequential scans are
-- off for sessions that were not set up as ours are.
create function rowlock.find_ended(ids bigint[], since timestamptz)
  returns table (id bigint, claim_no integer, state text, errors jsonb)
  language plpgsql stable
  set enable_bitmapscan = on
  set enable_seqscan = off
  set max_parallel_workers_per_gather = 0
  set plan_cache_mode = force_custom_plan
as $$
begin
  return query select h.id, h.claim_no, h.state, h.errors from rowlock.finished h
  where h.id = any (find_ended.ids) and h.finished_at >= any (array[find_ended.since]);
end $$;

-- The last ten errors are kept.
create function rowlock.remember_error(errors jsonb, error jsonb) returns jsonb
  language sql immutable parallel safe
  return case when jsonb_array_length(errors) >= 10 then errors - 0 else coalesce(errors, '[]') end || jsonb_build_array(error);

-- Turns each ring whose period is over: empties the next leaf, then makes it current. Behind an open reader the leaf
-- cannot be truncated within 100 ms; the present one then stays current and settle never waits.
create function rowlock.rotate_history(out ring text, out turned boolean) returns setof record
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  home constant text := (select c.relnamespace::regnamespace from pg_class c where c.oid = 'rowlock.finished'::regclass);
  r record;
  v_next smallint;
begin
  for r in select g.name, g.first_leaf, g.last_leaf, g.current_leaf from rowlock.history_ring g
    where g.since + g.period <= clock_timestamp() order by g.name for update skip locked
  loop
    ring := r.name;
    v_next := case when r.current_leaf = r.last_leaf then r.first_leaf else r.current_leaf + 1 end;
    begin
      execute format('truncate %s.%I', home, 'finished_' || v_next);
      update rowlock.history_ring g set current_leaf = v_next, since = clock_timestamp() where g.name = r.name;
      turned := true;
    exception when lock_not_available then
      turned := false;
    end;
    return next;
  end loop;
end $$;
revoke all on function rowlock.rotate_history() from public;

-- Summarizes what was written to history since the last time. Autovacuum would take up 256 ranges a minute, drop the rest,
-- and log each that it drops. A leaf that somebody has locked is left for the next time.
create function rowlock.summarize_history() returns void
  language plpgsql volatile security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  v_index regclass;
begin
  for v_index in
    select i.indexrelid from pg_inherits h join pg_index i on i.indrelid = h.inhrelid
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where h.inhparent = 'rowlock.finished'::regclass and a.amname = 'brin'
  loop
    begin
      perform brin_summarize_new_values(v_index);
    exception when lock_not_available then
      null;
    end;
  end loop;
end $$;
revoke all on function rowlock.summarize_history() from public;
