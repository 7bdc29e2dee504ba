// Where the packages lie, and the files below a folder.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The TypeScript packages of the root tsconfig that have sources. */
export function packageFolders() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return references.map(({ path }) => join(root, path)).filter((folder) => existsSync(join(folder, 'src')));
}

const ignored = new Set(['node_modules', '.git', '.rowlock']);

/** All files below `folder` whose path the filter accepts, sorted; dependencies are left out. */
export function filesBelow(folder, accepts = () => true) {
  if (!existsSync(folder)) return [];
  const found = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !ignored.has(entry.name)) found.push(...filesBelow(path, accepts));
    else if (entry.isFile() && accepts(path)) found.push(path);
  }
  return found.sort();
}
