// Names, sizes and left-over markers of a file. A problem reads on from the file's name.
import { basename } from 'node:path';

const maxLines = 300;
const emptyWords = /^(?:utils?|helpers|common|managers?)$/i;
const emptyNames = /\b(?:class|interface|type|const|function) (\w+(?:Manager|Utils|Helpers))\b/g;
// In parts, so that this file does not hold what it looks for.
const markers = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`);
const silencers = new RegExp(
  ['eslint' + '-disable', '@ts' + '-(?:ignore|nocheck|expect-error)', 'prettier' + '-ignore'].join('|'),
);

export function checkName(name, text) {
  const words = name.split(/[/._-]/);
  const problems = words
    .filter((word) => emptyWords.test(word))
    .map((word) => `: "${word}" says nothing; name what the file is for`);
  if (/\.(?:ts|mjs)$/.test(name)) {
    for (const [, found] of text.matchAll(emptyNames))
      problems.push(`: ${found} says nothing; name what it is for`);
  }
  return problems;
}

export function checkSize(text) {
  const lines = text.split('\n').length - 1;
  return lines > maxLines ? [`: ${lines} lines; at most ${maxLines}`] : [];
}

export function checkMarkers(name, text) {
  if (name.startsWith('docs/results/') || basename(name) === 'package.json') return [];
  const lines = text.split('\n');
  return lines.flatMap((line, index) =>
    markers.test(line) || silencers.test(line)
      ? [`:${index + 1}: finish it or file it; no marker is left in a file`]
      : [],
  );
}
