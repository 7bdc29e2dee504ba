import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderStateDiagram } from './state-diagram.js';
import { stateMeanings, states } from './state.js';
import { stateAfter, transitions } from './transitions.js';

const reference = new URL('../../../../docs/reference/states.md', import.meta.url);

test('the reference shows the states, the diagram and the table as they are', () => {
  const text = readFileSync(reference, 'utf8');
  const meanings = states.map((state) => `| \`${state}\` | ${stateMeanings[state]} |`);
  const rows = transitions.map(({ from, to, by, fact, when }) => {
    const statements = by.map((statement) => `\`${statement}\``).join(', ');
    return `| ${from ?? '(new)'} | ${to} | ${fact ?? ''} | ${when} | ${statements} |`;
  });
  assert.ok(text.includes(`\`\`\`mermaid\n${renderStateDiagram()}\n\`\`\``), 'the diagram differs');
  assert.ok(tables(text).includes(meanings.map(squeezed).join('\n')), 'the table of states differs');
  assert.ok(tables(text).includes(rows.map(squeezed).join('\n')), 'the table of transitions differs');
});

/** Without the padding that a formatter gives to tables. */
function tables(text: string): string {
  return text.split('\n').map(squeezed).join('\n');
}

function squeezed(line: string): string {
  return line.replace(/ +/g, ' ');
}

test('a job comes to life, reaches every state, and ends', () => {
  const reached = new Set<string>();
  const visit = (from: string | null): void => {
    for (const { to } of transitions.filter((transition) => transition.from === from)) {
      if (reached.has(to)) continue;
      reached.add(to);
      visit(to);
    }
  };
  visit(null);
  assert.deepEqual(
    states.filter((state) => !reached.has(state)),
    [],
  );
  const final = states.filter(
    (state) => reached.has(state) && !transitions.some(({ from }) => from === state),
  );
  assert.deepEqual(final, ['completed', 'cancelled', 'discarded']);
});

test('only a claim makes a job run, and no transition is stated twice', () => {
  const claims = transitions.filter(({ to }) => to === 'running');
  assert.deepEqual(
    claims.map(({ by }) => by),
    claims.map(() => ['settle_and_claim', 'claim_named']),
  );
  const keys = transitions.map(({ from, to, fact }) => `${from} ${to} ${fact}`);
  assert.equal(new Set(keys).size, keys.length);
});

test('every fact leads where the table says, and the table knows every fact', () => {
  for (const [outcome, state] of Object.entries(stateAfter)) {
    const found = transitions.find(({ fact }) => fact === outcome);
    assert.equal(found?.to, state, outcome);
  }
  assert.deepEqual(new Set(transitions.flatMap(({ fact }) => fact ?? [])), new Set(Object.keys(stateAfter)));
});
