// Type-checks the `ts` blocks of the documents against the built packages, as a user's compiler would.
// Each block is a module of its own: `ts jobs.ts` is what others of its document import as './jobs.js', and
// `ts continued` goes on where the block before it ended.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { filesBelow, packageFolders, root } from './workspace.mjs';

const fence = /^```(\S*)([^\n]*)\n([\s\S]*?)^```$/gm;

const options = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  // What Node runs without a compiler.
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  types: ['node'],
};

/** A module for each block. Its lines are those of the document, so that errors need no translation. */
function modulesOf(document) {
  const text = readFileSync(document, 'utf8');
  const modules = [];
  for (const { index, 0: block, 1: language, 2: marks, 3: code } of text.matchAll(fence)) {
    if (language !== 'ts') continue;
    const before = text.slice(0, index + block.indexOf('\n') + 1).split('\n').length - 1;
    const last = modules.at(-1);
    const mark = marks.trim();
    if (mark === 'continued' && last !== undefined) {
      last.text += '\n'.repeat(before - (last.text.split('\n').length - 1)) + code;
    } else {
      const path = mark === '' ? `${document}.${before}.ts` : join(dirname(document), mark);
      modules.push({ document, path, text: '\n'.repeat(before) + code });
    }
  }
  return modules;
}

function check(modules) {
  const texts = new Map(modules.map(({ path, text }) => [path, text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path);
  host.readFile = (path) => texts.get(path) ?? readFile.call(host, path);
  host.getSourceFile = (path, target) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, target, true);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return modules.flatMap(({ path, document }) => {
    const file = program.getSourceFile(path);
    const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
    return found.map(({ start = 0, messageText }) => {
      const line = file.getLineAndCharacterOfPosition(start).line + 1;
      return `${relative(root, document)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n  ')}`;
    });
  });
}

const documents = [
  join(root, 'README.md'),
  ...packageFolders().map((folder) => join(folder, 'README.md')),
  ...filesBelow(join(root, 'docs'), (path) => path.endsWith('.md')),
].filter((path) => existsSync(path));
const modules = documents.flatMap(modulesOf);
const problems = check(modules);
for (const problem of problems) console.error(problem);
console.log(
  problems.length === 0 ? `docs: ${modules.length} code blocks compile` : `docs: ${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
