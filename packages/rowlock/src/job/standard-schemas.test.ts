import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type as ark } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import { defineJob } from './define.js';
import { encodeArgs } from './encode-args.js';
import { parseArgs } from './parse-args.js';
import type { StandardSchemaV1 } from './standard-schema.js';

interface Args {
  readonly userId: number;
}

const schemas: readonly (readonly [library: string, schema: StandardSchemaV1<Args>])[] = [
  ['Zod', z.object({ userId: z.number() })],
  ['Valibot', v.object({ userId: v.number() })],
  ['ArkType', ark({ userId: 'number' })],
];

for (const [library, schema] of schemas) {
  const definition = defineJob('greet', { args: schema });

  test(`args declared with ${library} are stored and parsed`, async () => {
    assert.equal(await encodeArgs(definition, { userId: 42 }), '{"userId":42}');
    assert.deepEqual(await parseArgs(definition, { userId: 42 }), { userId: 42 });
  });

  test(`args that ${library} refuses are named by path before the database is touched`, () => {
    assert.throws(() => encodeArgs(definition, { userId: 'x' }), {
      code: 'ARGS_INVALID',
      message: /args\.userId/,
    });
  });
}

test('what a schema makes of its input reaches the handler, and the input is what is stored', async () => {
  const definition = defineJob('trim', { args: z.object({ name: z.string().trim().default('nobody') }) });
  assert.equal(await encodeArgs(definition, { name: ' Ada ' }), '{"name":" Ada "}');
  assert.deepEqual(await parseArgs(definition, { name: ' Ada ' }), { name: 'Ada' });
  assert.deepEqual(await parseArgs(definition, {}), { name: 'nobody' });
});
