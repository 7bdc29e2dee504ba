// Writes what the migrations add up to as packages/rowlock/src/sql/schema.sql; `--check` shows the difference instead.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { describeSchema } from './sql/describe-schema.mjs';
import { startTestServer } from './test-server.mjs';
import { root } from './workspace.mjs';

const target = join(root, 'packages/rowlock/src/sql/schema.sql');

async function dump() {
  const server = await startTestServer();
  try {
    const client = new pg.Client({ connectionString: server.template });
    await client.connect();
    try {
      return await describeSchema(client, 'rowlock');
    } finally {
      await client.end();
    }
  } finally {
    await server.stop();
  }
}

function firstDifference(before, after) {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const at = fresh.findIndex((line, index) => line !== old[index]);
  const index = at < 0 ? fresh.length : at;
  return `line ${index + 1}\n- ${old[index] ?? '(end)'}\n+ ${fresh[index] ?? '(end)'}`;
}

const text = await dump();
const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
if (text === before) console.log('schema.sql is what the migrations make');
else if (!process.argv.includes('--check')) {
  writeFileSync(target, text);
  console.log('wrote packages/rowlock/src/sql/schema.sql');
} else {
  console.error(
    `schema.sql is out of date at ${firstDifference(before, text)}\nRun \`npm run schema\` and commit the result.`,
  );
  process.exitCode = 1;
}
