/**
 * The evidence of a round in which nothing went wrong but what should: token 1 succeeded, 2 failed once before, 3 was
 * rolled back, 4 lost its worker (process 100, killed) and ran again within the bound, 5 was doomed, 6 was enqueued
 * directly with an unknown outcome and is not there.
 */
export const tidyRound = `
truncate chaos.token, chaos.enqueued, chaos.started, chaos.ended, chaos.told, chaos.hit, chaos.setting,
  rowlock.job, rowlock.finished, rowlock.discarded, rowlock.worker;

insert into chaos.setting values (false, 7000);
insert into chaos.token values (1), (2), (4), (5);
insert into chaos.enqueued (token, route, fate, failures, max_attempts, snooze) values
  (1, 'transaction', 'acknowledged', 0, 100, false),
  (2, 'transaction', 'unknown', 1, 100, false),
  (3, 'transaction', 'rolled back', 0, 100, false),
  (4, 'transaction', 'acknowledged', 0, 100, false),
  (5, 'transaction', 'acknowledged', 100, 3, false),
  (6, 'direct', 'unknown', 0, 100, false);

insert into rowlock.worker (id, lease_until, dead_at, lease_ms, pid, host, version, queues, kinds) overriding system value values
  (1, '2026-01-01 00:00:12Z', '2026-01-01 00:00:13Z', 3000, 100, 'here', '0', '{chaos}', '{chaos_work}'),
  (2, '2026-01-01 00:01:00Z', null, 3000, 200, 'here', '0', '{chaos}', '{chaos_work}');
insert into chaos.hit values (0, 'SIGKILL 100', 100, '2026-01-01 00:00:10Z', 3);

insert into rowlock.finished (leaf, id, worker_id, run_at, created_at, finished_at, claim_no, attempt, priority, crashes, state, queue, kind, errors, args)
select 7, id, 2, '2026-01-01', '2026-01-01', '2026-01-01 00:00:20Z', claim_no, attempt, 5, crashes, 'completed', 'chaos', 'chaos_work', errors::jsonb,
  jsonb_build_object('token', id)
from (values
  (1, 1, 1, 0, null),
  (2, 2, 2, 0, '[{"claimNo": 1, "attempt": 1, "message": "as planned", "worker": "2", "at": "2026-01-01T00:00:05Z"}]'),
  (4, 2, 2, 1, '[{"claimNo": 1, "attempt": 1, "code": "WORKER_LOST", "worker": "1", "at": "2026-01-01T00:00:13.5Z"}]')
) as t (id, claim_no, attempt, crashes, errors);
insert into rowlock.discarded (id, worker_id, run_at, created_at, finished_at, claim_no, attempt, priority, crashes, queue, kind, reason, errors, args)
values (5, 2, '2026-01-01', '2026-01-01', '2026-01-01', 3, 3, 5, 0, 'chaos', 'chaos_work', 'MAX_ATTEMPTS',
  '[{"claimNo": 1, "message": "as planned"}, {"claimNo": 2, "message": "as planned"}, {"claimNo": 3, "message": "as planned"}]', '{"token": 5}');

insert into chaos.started
select id, id, claim_no, attempt, pid, mono, '2026-01-01'::timestamptz + mono * interval '1 s'
from (values (1, 1, 1, 200, 1), (2, 1, 1, 200, 2), (2, 2, 2, 200, 6), (4, 1, 1, 100, 9), (4, 2, 2, 200, 14), (5, 1, 1, 200, 1), (5, 2, 2, 200, 2), (5, 3, 3, 200, 3))
  as t (id, claim_no, attempt, pid, mono);
insert into chaos.ended
select id, id, claim_no, 200, result, mono, '2026-01-01'::timestamptz + mono * interval '1 s'
from (values (1, 1, 'completed', 2), (2, 1, 'failed', 3), (2, 2, 'completed', 7), (4, 2, 'completed', 15), (5, 1, 'failed', 1), (5, 2, 'failed', 2), (5, 3, 'failed', 3))
  as t (id, claim_no, result, mono);
insert into chaos.told (id, claim_no, pid, event, outcome, mono, at)
select id, claim_no, 200, 'settled', result, mono, at from chaos.ended;
`;
