// Links of the documents: to files that exist, to headings that exist, never to a line number (those rot).
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../workspace.mjs';

const link = /!?\[(?:[^\]\\]|\\.)*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(\S+)/gm;
const elsewhere = /^[a-z][a-z0-9+.-]*:/i;

/** @returns problems, each with the file's name in front */
export function checkLinks(documents) {
  return documents.filter((path) => existsSync(path)).flatMap(checkDocument);
}

function checkDocument(path) {
  const text = withoutCode(readFileSync(path, 'utf8'));
  const problems = [];
  for (const match of text.matchAll(link)) {
    const target = match[1] ?? match[2];
    const problem = elsewhere.test(target) ? undefined : checkTarget(path, decodeURI(target));
    const line = text.slice(0, match.index).split('\n').length;
    if (problem !== undefined) problems.push(`${relative(root, path)}:${line}: ${target} ${problem}`);
  }
  return problems;
}

/** Blanks code, keeping the lines: what stands in it is no link. */
function withoutCode(text) {
  return text.replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1/gm, blank).replace(/`[^`\n]*`/g, blank);
}

function blank(code) {
  return code.replace(/[^\n]/g, ' ');
}

function checkTarget(path, target) {
  const [file, anchor] = target.split('#');
  const full = file === '' ? path : resolve(dirname(path), file);
  if (!existsSync(full)) return 'does not exist';
  if (relative(root, full).startsWith('..')) return 'lies outside the repository';
  if (anchor === undefined) return undefined;
  if (/^L\d+/.test(anchor)) return 'names a line, which moves; link the file';
  const document = statSync(full).isDirectory() ? join(full, 'README.md') : full;
  if (!document.endsWith('.md')) return 'has an anchor that is not a heading';
  return anchors(readFileSync(document, 'utf8')).has(anchor) ? undefined : 'is not a heading there';
}

function anchors(text) {
  const found = new Map();
  const plain = text.replace(/^(```|~~~)[^\n]*\n[\s\S]*?^\1/gm, '');
  const names = [...plain.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map(([, heading]) => slug(heading));
  const all = new Set([...plain.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1]));
  for (const name of names) {
    const count = found.get(name) ?? 0;
    found.set(name, count + 1);
    all.add(count === 0 ? name : `${name}-${count}`);
  }
  return all;
}

function slug(heading) {
  const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
