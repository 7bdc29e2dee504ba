// The header of a statement file: its purpose, parameters, columns, transitions, index, and whether its plan is kept.
import { isKnownType } from './types.mjs';

const purposeLine = /^([a-z][a-z0-9_]*): (\S.*)$/;
const fieldLine = /^(param|column) (\d+) ([a-z][A-Za-z0-9]*): ([a-z0-9]+\??(?:\[\]\??)?)(?:[,;:]?\s+(.*))?$/;
const contractLine = /^(transition|index|plan): (\S.*)$/;

/** @param file `{ path, name, text }`; @throws an Error that names the file and the line at fault */
export function parseStatement(file) {
  const { lines, body } = splitHeader(file.text);
  const statement = {
    name: file.name,
    purpose: '',
    params: [],
    columns: [],
    transitions: [],
    index: '',
    plan: '',
    body,
  };
  for (const line of lines) readLine(line, statement, file.path);
  checkStatement(statement, file.path);
  return statement;
}

function splitHeader(text) {
  const all = text.split('\n');
  const end = all.findIndex((line) => !line.startsWith('--'));
  const count = end < 0 ? all.length : end;
  const lines = all.slice(0, count).map((line) => line.replace(/^--\s*/, '').trimEnd());
  return {
    lines: lines.filter((line) => line !== ''),
    body: all.slice(count).join('\n').trim().replace(/;$/, ''),
  };
}

function readLine(line, statement, path) {
  const purpose = purposeLine.exec(line);
  const field = fieldLine.exec(line);
  const contract = contractLine.exec(line);
  if (statement.purpose === '') {
    if (purpose?.[1] !== statement.name)
      throw new Error(`${path}: the first line is "-- ${statement.name}: its purpose", not "${line}"`);
    statement.purpose = purpose[2];
  } else if (field !== null) addField({ field, statement, path });
  else if (/^(param|column)\b/.test(line))
    throw new Error(`${path}: cannot read "${line}" (a field is "param 1 workerId: bigint")`);
  else if (contract?.[1] === 'transition') statement.transitions.push(contract[2]);
  else if (contract !== null) statement[contract[1]] = contract[2];
}

function addField({ field, statement, path }) {
  const [, kind, position, name, type, comment = ''] = field;
  const fields = kind === 'param' ? statement.params : statement.columns;
  if (Number(position) !== fields.length + 1) throw new Error(`${path}: ${kind} ${position} is out of order`);
  if (fields.some((other) => other.name === name)) throw new Error(`${path}: two fields are called ${name}`);
  if (!isKnownType(type)) throw new Error(`${path}: unknown type ${type}`);
  fields.push({ name, type, comment });
}

function checkStatement({ name, purpose, params, transitions, index, plan, body }, path) {
  if (plan !== '' && !plan.startsWith('kept')) throw new Error(`${path}: the plan is "kept" or not named`);
  if (purpose === '') throw new Error(`${path}: no header ("-- ${name}: its purpose")`);
  if (body === '') throw new Error(`${path}: no statement`);
  if (transitions.length === 0)
    throw new Error(`${path}: no "-- transition: from -> to" (none where no job changes its state)`);
  if (index === '') throw new Error(`${path}: no "-- index: name" (none, and why, where it needs none)`);
  const used = new Set([...body.matchAll(/\$(\d+)/g)].map((match) => Number(match[1])));
  for (let n = 1; n <= params.length; n++) {
    if (!used.delete(n)) throw new Error(`${path}: param ${n} ${params[n - 1].name} is never used as $${n}`);
  }
  if (used.size > 0) throw new Error(`${path}: $${[...used].join(', $')} is not declared`);
}
