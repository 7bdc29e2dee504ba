// Rules that need the syntax of a TypeScript file.
import ts from 'typescript';

const sqlText =
  /^\s*(?:--[^\n]*\n\s*)?(?:select\s|insert\s+into\s|update\s+\S+\s+(?:as\s+)?(?:\w+\s+)?set\s|delete\s+from\s|truncate\s|with\s+\w+\s+as\s+\(|(?:create|alter|drop)\s+(?:or\s+replace\s+|temp\s+|unlogged\s+|unique\s+)?(?:table|index|function|schema|sequence|view|type|role|database|trigger)\b)/;
const clockWaits = new Set(['setTimeout', 'setInterval', 'sleep']);
const leftOut = new Set(['only', 'skip', 'todo']);
const testFunctions = new Set(['test', 'it', 'describe', 'suite', 't', 'context']);

/** @returns problems, each reading on from the file's name */
export function checkSource(name, text) {
  const isTest = name.endsWith('.test.ts');
  const holdsNoSql =
    name.startsWith('packages/rowlock/src/') &&
    !/^packages\/rowlock\/src\/(?:sql|testing)\//.test(name) &&
    !isTest;
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
  const problems = [];
  const report = (node, what) =>
    problems.push(`:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${what}`);
  const visit = (node) => {
    if (holdsNoSql && isSql(node)) report(node, 'SQL outside packages/rowlock/src/sql');
    if (isTest) checkTestNode(node, report);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return problems;
}

function isSql(node) {
  const isText =
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node);
  return isText && (sqlText.test(node.text) || isShouted(node.text));
}

/** SELECT in capitals is SQL; "Select a queue" is a sentence. */
function isShouted(text) {
  return /^\s*[A-Z]{4,}\s/.test(text) && sqlText.test(text.toLowerCase());
}

function checkTestNode(node, report) {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && clockWaits.has(node.expression.text)) {
    report(node, `a test waits on a signal or until(), not by ${node.expression.text}()`);
  }
  if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
    if (testFunctions.has(node.expression.text) && leftOut.has(node.name.text))
      report(node, `no test is left out (.${node.name.text})`);
  }
  if (ts.isPropertyAssignment(node) && leftOut.has(node.name.getText()) && isOptionOfTest(node)) {
    report(node, `no test is left out (${node.name.getText()}:)`);
  }
}

function isOptionOfTest(node) {
  const call = node.parent.parent;
  return (
    ts.isCallExpression(call) && ts.isIdentifier(call.expression) && testFunctions.has(call.expression.text)
  );
}
