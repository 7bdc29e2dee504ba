// Writes the typed wrappers of every SQL file; `--check` only says which of them are out of date.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseStatement } from './sql/parse-header.mjs';
import { renderMigrations, renderStatements } from './sql/render-wrappers.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sql = join(root, 'packages/rowlock/src/sql');

function sqlFiles(folder) {
  const path = join(sql, folder);
  mkdirSync(path, { recursive: true });
  const names = readdirSync(path).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => ({
    path: join(path, name),
    name: basename(name, '.sql'),
    text: readFileSync(join(path, name), 'utf8'),
  }));
}

function readMigrations() {
  return sqlFiles('migrations').map(({ name, text, path }, index) => {
    const version = Number(/^(\d{4})_[a-z0-9_]+$/.exec(name)?.[1]);
    if (version !== index + 1)
      throw new Error(`${path}: expected the name ${String(index + 1).padStart(4, '0')}_….sql`);
    return { version, name: name.slice(5), text, hash: createHash('sha256').update(text).digest('hex') };
  });
}

function readOr(path, fallback) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return fallback;
  }
}

/** @returns the paths of the files that were (or, with `check`, would be) rewritten */
export function generateSql({ check = false } = {}) {
  const generated = {
    'statements.gen.ts': renderStatements(sqlFiles('statements').map(parseStatement)),
    'migrations.gen.ts': renderMigrations(readMigrations()),
  };
  mkdirSync(join(sql, 'generated'), { recursive: true });
  const changed = [];
  for (const [name, text] of Object.entries(generated)) {
    const path = join(sql, 'generated', name);
    if (readOr(path, '') === text) continue;
    changed.push(relative(root, path));
    if (!check) writeFileSync(path, text);
  }
  return changed;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const check = process.argv.includes('--check');
  const changed = generateSql({ check });
  for (const path of changed) console.log(`${check ? 'out of date' : 'wrote'}: ${path}`);
  if (check && changed.length > 0) {
    console.error('Run `npm run generate` and commit the result.');
    process.exitCode = 1;
  }
}
