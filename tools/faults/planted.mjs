// The faults: each replaces text of the compiled library (paths below dist), and names the tests of which one must fail.
const migrations = 'sql/generated/migrations.gen.js';
const statements = 'sql/generated/statements.gen.js';

const model = 'model.test.js';
const fence = 'worker/fence.test.js';
const floor = 'worker/floor.test.js';
const claimNamed = 'worker/claim-named.test.js';
const enqueueAlone = 'enqueue/alone.test.js';
const rescue = 'maintenance/rescue.test.js';
const worker = 'worker/worker.test.js';

const alive = 'exists (select from rowlock.worker w where w.id = j.claimed_by and w.dead_at is null)';

export const faults = [
  {
    name: 'fence dropped where settles go by address',
    patches: [
      [
        statements,
        'and ((j.id, j.claim_no) in (select s.id, s.claim_no from',
        'and (j.id in (select s.id from',
      ],
    ],
    tests: [fence],
  },
  {
    name: 'a claim that was given back may settle',
    patches: [
      [
        statements,
        'where j.ctid = any ($1::tid[]) and j.claimed_by is not null',
        'where j.ctid = any ($1::tid[])',
      ],
    ],
    tests: [fence],
  },
  {
    name: 'fence dropped where settles go by fact',
    patches: [
      [statements, 'case when f.claim_no = i.claim_no then i.id end', 'f.id'],
      [migrations, 'where t.id = p_id and t.claim_no = p_claim_no and', 'where t.id = p_id and'],
    ],
    tests: [fence],
  },
  {
    name: 'claim_no lowered on refund',
    patches: [
      [
        migrations,
        'set claimed_by = null, claimed_at = null,',
        'set claimed_by = null, claimed_at = null, claim_no = t.claim_no - case when d.refund then 1 else 0 end,',
      ],
    ],
    tests: [model],
  },
  {
    name: 'attempt not refunded on release',
    patches: [[migrations, 'case when d.refund and t.attempt > 0 then 1 else 0 end', '0']],
    tests: [worker],
  },
  {
    name: 'settled before the handler',
    patches: [
      [
        'worker/dispatcher.js',
        'attempt.run(onEnded);',
        "attempt.run(() => undefined); queueMicrotask(() => onEnded(attempt, { outcome: 'completed' }));",
      ],
    ],
    tests: [worker],
  },
  {
    name: 'retries decided in a second place',
    patches: [
      [
        'worker/attempt.js',
        '#factOfThrown(error) {',
        "#factOfThrown(error) { if (this.claim.attempt >= this.policy.maxAttempts) return { outcome: 'discard', reason: 'MAX_ATTEMPTS' };",
      ],
    ],
    tests: [worker],
  },
  {
    name: 'floor ignores open epochs',
    patches: [[migrations, 'while epoch < present loop', 'epoch := present; while epoch < present loop']],
    tests: [floor],
  },
  {
    name: 'enqueue holds no epoch',
    patches: [
      [
        migrations,
        'perform pg_advisory_xact_lock_shared(rowlock.epoch_class(), rowlock.epoch_key(epoch));',
        '',
      ],
    ],
    tests: [model],
  },
  {
    name: 'enqueue does not look whether its second has passed',
    patches: [[migrations, "exit when floor(date_part('epoch', stamp)) = epoch;", 'exit;']],
    tests: [floor],
  },
  {
    name: 'a pass trusts the epochs that it closes itself',
    patches: [
      [
        'worker/pass.js',
        'JSON.parse(row.lowest), closedUntil)',
        'JSON.parse(row.lowest), Number(row.openEpoch) * 1_000_000)',
      ],
    ],
    tests: [floor],
  },
  {
    name: 'floor ignores rows that a claim has locked',
    patches: [
      [
        statements,
        'order by i.run_at, i.id limit 1\n  ) low on true',
        'order by i.run_at, i.id limit 1 for no key update skip locked\n  ) low on true',
      ],
    ],
    tests: [floor],
  },
  {
    name: 'floor rises over waiting rows',
    patches: [['worker/lanes.js', 'const below = row === null', 'const below = true']],
    tests: [model],
  },
  {
    name: 'no claim starts at the floor',
    patches: [['worker/lanes.js', 'if (once !== undefined && head.runAt > once)', 'if (false)']],
    tests: [floor],
  },
  {
    name: 'entry rule broken: a retry keeps its run_at',
    patches: [[migrations, 'run_at = stamp + d.delay', 'run_at = t.run_at + d.delay']],
    tests: [model],
  },
  {
    name: 'death list instead of predicate',
    patches: [
      [
        statements,
        `not ${alive}`,
        'exists (select from rowlock.worker w where w.id = j.claimed_by and w.dead_at is not null and w.swept_at is null)',
      ],
    ],
    tests: [rescue],
  },
  {
    name: 'claims under way are not waited for',
    patches: [['worker/incarnation.js', 'if (ending.waits)', 'if (false)']],
    tests: ['worker/claims-under-way.test.js'],
  },
  {
    name: 'dead before its claims are taken along',
    patches: [
      [
        'worker/incarnation.js',
        'const { database, held } = this.#options;',
        'await this.#mark(fromWorkerId, { swept: false, unstarted: true }); const { database, held } = this.#options;',
      ],
    ],
    tests: ['worker/claims-under-way.test.js'],
  },
  {
    name: 'a lost worker costs its jobs no attempt',
    patches: [[statements, 'case when o.unstarted and', 'case when true and']],
    tests: [rescue],
  },
  {
    name: 'claims that never began count as crashes',
    patches: [[statements, 'case when o.unstarted and', 'case when false and']],
    tests: [rescue],
  },
  {
    name: 'a claim that is never answered comes back for ever',
    patches: [[statements, 'o.claim_no - o.attempt < 100', 'true']],
    tests: [rescue],
  },
  {
    name: 'rescued from the living',
    patches: [
      [statements, `and not ${alive}`, ''],
      [migrations, `if p_fact->>'outcome' = 'crashed' and ${alive} then`, 'if false then'],
    ],
    tests: [rescue],
  },
  {
    name: 'a senseless policy stops rescue',
    patches: [[migrations, 'exception when data_exception then', 'exception when division_by_zero then']],
    tests: [rescue],
  },
  {
    name: 'claims taken over from whoever has them',
    patches: [
      [statements, 'and j.claim_no = s.claim_no and j.claimed_by = $3::bigint', 'and $3::bigint is not null'],
    ],
    tests: [rescue],
  },
  {
    name: 'a dead worker may claim',
    patches: [
      [
        statements,
        'where w.id = $5::bigint and w.dead_at is null) as alive',
        'where w.id = $5::bigint) as alive',
      ],
    ],
    tests: [model],
  },
  {
    name: 'a paused queue is claimed from',
    patches: [
      [
        statements,
        'where (select me.alive from me) and not exists (select from rowlock.queue z where z.name = q.queue and z.paused)',
        'where (select me.alive from me)',
      ],
    ],
    tests: [model],
  },
  {
    name: 'the newest job first',
    patches: [
      [statements, 'order by i.run_at, i.id limit q.slots', 'order by i.run_at desc, i.id limit q.slots'],
    ],
    tests: [model],
  },
  {
    name: 'a completed job leaves no history',
    patches: [
      [
        statements,
        "where s.kind <> all (array(select k.name from rowlock.kind k where k.keep = 'none'))",
        'where false',
      ],
    ],
    tests: [model],
  },
  {
    name: 'a claim by name takes what somebody has',
    patches: [
      [
        statements,
        '(i.queue = $2::text and not i.parked and i.claimed_by is null and',
        '(i.queue = $2::text and not i.parked and',
      ],
    ],
    tests: [claimNamed],
  },
  {
    name: 'a claim by name for whoever is marked dead, in a queue that is paused',
    patches: [
      [
        statements,
        'and (select me.alive from me) and not exists (select from rowlock.queue z where z.name = i.queue and z.paused)',
        '',
      ],
    ],
    tests: [claimNamed],
  },
  {
    name: 'enqueue returns before the disk has the job',
    patches: [[migrations, "perform pg_logical_emit_message(true, 'rowlock', '');", '']],
    tests: [enqueueAlone],
  },
  {
    name: 'an enqueue that was stopped is called refused',
    patches: [['enqueue/enqueuer.js', 'if (!isStopped(error))', 'if (true)']],
    tests: ['enqueue/enqueuer.test.js'],
  },
];
