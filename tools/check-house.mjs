// What ESLint cannot see: names, sizes of all files, SQL outside sql/, tests left out or waiting by the clock, links.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { checkLinks } from './house/links.mjs';
import { checkMarkers, checkName, checkSize } from './house/files.mjs';
import { checkSource } from './house/source.mjs';
import { filesBelow, root } from './workspace.mjs';

const generated = /\.gen\.ts$|\/schema\.sql$|\/package-lock\.json$/;
const inDist = /\/dist\//;
const code = /\.(?:ts|mjs|cjs|js|sql)$/;

function checkFile(path) {
  const name = relative(root, path);
  const text = readFileSync(path, 'utf8');
  return [
    ...checkName(name, text),
    ...(code.test(path) ? checkSize(text) : []),
    ...checkMarkers(name, text),
    ...(path.endsWith('.ts') ? checkSource(name, text) : []),
  ].map((problem) => `${name}${problem}`);
}

const folders = ['packages', 'examples', 'tools', 'docs', 'compat', '.ci', '.github'].map((folder) =>
  join(root, folder),
);
const accepts = (path) => !generated.test(path) && !inDist.test(path);
const files = folders.flatMap((folder) => filesBelow(folder, accepts));
const texts = files.filter(
  (path) => code.test(path) || /\.(?:md|json|yml|yaml|sh|html|css)$|\/run$/.test(path),
);
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(root, name));

const problems = [
  ...texts.flatMap(checkFile),
  ...checkLinks([...documents, ...files.filter((path) => path.endsWith('.md'))]),
];
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `house: ${texts.length} files in order` : `house: ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
