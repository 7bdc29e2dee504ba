// A scratch copy of the compiled library, outside the tree, with a fault in it.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../workspace.mjs';

const library = join(root, 'packages/rowlock');

/** @returns its folder, and how to remove it; throws when a patch does not apply, since the fault is then not there */
export function faultyCopy(patches) {
  const folder = mkdtempSync(join(tmpdir(), 'rowlock-fault-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(join(library, 'dist'), join(folder, 'dist'), { recursive: true });
    cpSync(join(library, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    for (const [file, from, to] of patches) patch(join(folder, 'dist', file), from, to);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Line breaks and indentation are the compiler's affair. */
function patch(file, from, to) {
  const words = from.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const found = new RegExp(words.join('\\s+'));
  const text = readFileSync(file, 'utf8');
  if (!found.test(text)) throw new Error(`the patch does not apply: ${from}`);
  writeFileSync(
    file,
    text.replace(found, () => to),
  );
}
