import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Case, Throughput } from './throughput.js';
import { measureInTurn, plainMeasurements, ratiosOf, throughputTable } from './throughput.js';

function caseOf({
  system,
  against = null,
  seconds,
}: {
  system: string;
  against?: Case | null;
  seconds: number[];
}) {
  const left = [...seconds];
  return {
    system,
    work: 'work',
    against,
    measure: (): Promise<Throughput> => {
      const run = { jobs: 1000, seconds: left.shift() ?? NaN, cost: { cpuUs: 5000, walBytes: 250_000 } };
      return Promise.resolve({ ...run, clientCpuUs: NaN });
    },
  } satisfies Case;
}

test('cases are measured in turn and compared round by round', async () => {
  const ceiling = caseOf({ system: 'ceiling', seconds: [1, 2, 1] });
  const ours = caseOf({ system: 'ours', against: ceiling, seconds: [2, 2, 1.25] });
  const order: string[] = [];
  const log = (line: string): void => void order.push(line.split('  ')[1] ?? '');
  const measured = await measureInTurn([ceiling, ours], { rounds: 3, log });
  assert.deepEqual(order, ['ceiling', 'ours', 'ceiling', 'ours', 'ceiling', 'ours']);
  assert.deepEqual(ratiosOf(ours, measured), [0.5, 1, 0.8]);
  assert.deepEqual(ratiosOf(ceiling, measured), []);
  assert.deepEqual(throughputTable([ceiling, ours], measured).rows, [
    ['ceiling', 'work', '1,000', '50 %', '-', '-', '5.00', '-', '250'],
    ['ours', 'work', '500', '60 %', '0.80', '0.50 to 1.00', '5.00', '-', '250'],
  ]);
  assert.equal(JSON.stringify(plainMeasurements(measured)).includes('"against":"ceiling: work"'), true);
});
