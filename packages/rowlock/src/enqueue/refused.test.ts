import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defineJob } from '../job/define.js';
import type { StandardSchemaV1 } from '../job/standard-schema.js';
import { type } from '../job/witness.js';
import type { Rowlock } from '../rowlock.js';
import { Scene } from '../testing/scene.js';

const mail = defineJob('mail', { args: type<{ to: unknown }>() });
const never: StandardSchemaV1<string, string> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => ({ issues: [{ message: 'is wrong', path: ['a', 0] }] }),
  },
};
const strict = defineJob('strict', { args: never });

let scene: Scene;
let rowlock: Rowlock;
before(async () => {
  scene = await Scene.open();
  // Nobody is there: whatever reached the database would be a ConnectionError.
  rowlock = scene.client({ connectionString: 'postgres://127.0.0.1:1/none' });
});
after(() => scene.close());

test('what is not made by defineJob is refused', async () => {
  const cases: [unknown, string][] = [
    ['mail', '"mail"'],
    [undefined, 'undefined'],
    [null, 'null'],
    [{}, 'an object'],
    [{ kind: 'mail' }, 'an object'],
    [mail.with({ to: 'ann' }), 'an object'],
  ];
  for (const [definition, got] of cases) {
    await assert.rejects(rowlock.enqueue(definition as never, { to: 'ann' } as never), {
      code: 'CONFIG_INVALID',
      field: 'definition',
      message: `definition must be made by defineJob (got ${got})`,
    });
  }
});

test('options of a call that are no object, or of the wrong type, are refused', async () => {
  const known = 'runAt, delay, priority, queue, maxAttempts, timeout, tx, wake';
  const cases: [unknown, string, string][] = [
    [null, 'options', `must be an object (got null): its options are ${known}`],
    [5, 'options', `must be an object (got 5): its options are ${known}`],
    [{ weke: true }, 'weke', "is not an option: did you mean 'wake'?"],
    [{ wake: 'no' }, 'wake', 'must be true or false (got "no")'],
    [{ queue: null }, 'queue', 'must be a string (got null)'],
    [{ priority: '1' }, 'priority', 'must be a whole number from 0 to 9 (got "1")'],
  ];
  for (const [options, field, problem] of cases) {
    const refused = { code: 'CONFIG_INVALID', field, message: `${field} ${problem}` };
    await assert.rejects(rowlock.enqueue(mail, { to: 'ann' }, options as never), refused);
  }
  await assert.rejects(rowlock.enqueueMany([], null as never), { code: 'CONFIG_INVALID', field: 'options' });
  await assert.rejects(rowlock.enqueueMany([], { wake: 1 } as never), {
    code: 'CONFIG_INVALID',
    field: 'wake',
  });
});

test('an error about one request of many says which', async () => {
  const good = mail.with({ to: 'ann' });
  const cases: [unknown, object][] = [
    [
      mail.with({ to: [new Date(0)] }),
      {
        code: 'PAYLOAD_INVALID',
        path: 'requests[1].args.to[0]',
        message: /^requests\[1\]\.args\.to\[0\] is a Date/,
      },
    ],
    [
      strict.with('x'),
      {
        code: 'ARGS_INVALID',
        kind: 'strict',
        issues: [{ path: 'requests[1].args.a[0]', message: 'is wrong' }],
        message: 'args of kind "strict" are invalid: requests[1].args.a[0]: is wrong',
      },
    ],
    [
      mail.with({ to: 'ann' }, { priority: 11 }),
      {
        code: 'CONFIG_INVALID',
        field: 'requests[1].options.priority',
        message: 'requests[1].options.priority must be a whole number from 0 to 9 (got 11)',
      },
    ],
    [
      mail.with({ to: 'ann' }, { delai: 1 } as never),
      { code: 'CONFIG_INVALID', field: 'requests[1].options.delai' },
    ],
    [mail.with({ to: 'ann' }, null as never), { code: 'CONFIG_INVALID', field: 'requests[1].options' }],
  ];
  for (const request of [mail, null, { definition: null }, 'mail']) {
    const message = /^requests\[1\] is not made by definition\.with\(args, options\)/;
    cases.push([request, { code: 'CONFIG_INVALID', field: 'requests[1]', message }]);
  }
  for (const [request, refused] of cases)
    await assert.rejects(rowlock.enqueueMany([good, request as never]), refused);
});

test('the cause of a refused payload is kept', async () => {
  const cause = new Error('getter');
  const hostile = {
    get to(): never {
      throw cause;
    },
  };
  await assert.rejects(rowlock.enqueueMany([mail.with(hostile)]), { path: 'requests[0].args.to', cause });
});
