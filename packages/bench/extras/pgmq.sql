-- A queue in the manner of pgmq: a table with a visibility time, read by raising it, deleted or archived by id.
create schema pgmq;

create table pgmq.q_bench (
  msg_id bigint generated always as identity primary key,
  read_ct integer not null default 0,
  enqueued_at timestamptz not null default now(),
  last_read_at timestamptz,
  vt timestamptz not null,
  message jsonb,
  headers jsonb
);
create index q_bench_vt_idx on pgmq.q_bench (vt);

create table pgmq.a_bench (like pgmq.q_bench, archived_at timestamptz not null default now(), primary key (msg_id));
create index a_bench_archived_at_idx on pgmq.a_bench (archived_at);

create function pgmq.send(message jsonb, delay interval default '0') returns bigint language sql as $$
  insert into pgmq.q_bench (vt, message) values (clock_timestamp() + delay, message) returning msg_id
$$;

create function pgmq.send_batch(messages jsonb[]) returns setof bigint language sql as $$
  insert into pgmq.q_bench (vt, message) select clock_timestamp(), unnest(messages) returning msg_id
$$;

create function pgmq.read(invisible interval, quantity integer)
returns table (msg_id bigint, read_ct integer, message jsonb) language sql as $$
  with visible as (
    select q.msg_id from pgmq.q_bench q where q.vt <= clock_timestamp()
    order by q.msg_id limit quantity for update skip locked
  )
  update pgmq.q_bench q
  set vt = clock_timestamp() + invisible, read_ct = q.read_ct + 1, last_read_at = clock_timestamp()
  from visible where q.msg_id = visible.msg_id
  returning q.msg_id, q.read_ct, q.message
$$;

create function pgmq.delete(ids bigint[]) returns setof bigint language sql as $$
  delete from pgmq.q_bench where msg_id = any (ids) returning msg_id
$$;

create function pgmq.archive(ids bigint[]) returns setof bigint language sql as $$
  with gone as (delete from pgmq.q_bench where msg_id = any (ids) returning *)
  insert into pgmq.a_bench (msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers)
  select msg_id, read_ct, enqueued_at, last_read_at, vt, message, headers from gone returning msg_id
$$;

create function pgmq.set_vt(ids bigint[], invisible interval) returns setof bigint language sql as $$
  update pgmq.q_bench set vt = clock_timestamp() + invisible where msg_id = any (ids) returning msg_id
$$;

create function pgmq.announce() returns trigger language plpgsql as $$
begin
  notify "pgmq.q_bench.INSERT";
  return null;
end
$$;
