import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Case, Throughput } from './throughput.js';
import { measureInTurn, pairTable, plainMeasurements, ratiosOf, throughputTable } from './throughput.js';

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
      const run = {
        jobs: 1000,
        seconds: left.shift() ?? NaN,
        cost: { cpuUs: 5000, dbTimeUs: 4000, walBytes: 250_000 },
      };
      return Promise.resolve({ ...run, clientCpuUs: NaN });
    },
  } satisfies Case;
}

test('cases are measured in turn and compared round by round', async () => {
  const ceiling = caseOf({ system: 'ceiling', seconds: [1, 2, 1] });
  const ours = caseOf({ system: 'ours', against: ceiling, seconds: [2, 2, 1.25] });
  const order: string[] = [];
  const log = (line: string): void => void order.push(line.split('  ')[1] ?? '');
  const { measured, voided } = await measureInTurn([ceiling, ours], { rounds: 3, log });
  assert.deepEqual(voided, []);
  assert.deepEqual(order, ['ceiling', 'ours', 'ceiling', 'ours', 'ceiling', 'ours']);
  assert.deepEqual(ratiosOf(ours, measured), [0.5, 1, 0.8]);
  assert.deepEqual(ratiosOf(ceiling, measured), []);
  assert.deepEqual(throughputTable([ceiling, ours], measured).rows, [
    ['ceiling', 'work', '1,000', '50 %', '-', '-', '5.00', '4.00', '-', '250'],
    ['ours', 'work', '500', '60 %', '0.80', '0.50 to 1.00', '5.00', '4.00', '-', '250'],
  ]);
  assert.equal(JSON.stringify(plainMeasurements(measured)).includes('"against":"ceiling: work"'), true);
});

test('a round in which a peer is too slow is void, and measured again', async () => {
  const ceiling = caseOf({ system: 'ceiling', seconds: [1, 1, 1] });
  const peer = { ...caseOf({ system: 'peer', against: ceiling, seconds: [2, 2.5, 2.2] }), known: 0.5 };
  const { measured, voided } = await measureInTurn([ceiling, peer], { rounds: 2, log: () => undefined });
  assert.deepEqual(voided, ['peer, work: 0.40 of the ceiling, but 0.50 is known of it']);
  assert.deepEqual(
    measured.get(peer)?.map(({ seconds }) => seconds),
    [2, 2.2],
  );
});

test('when nothing but void rounds come, none counts', async () => {
  const ceiling = caseOf({ system: 'ceiling', seconds: [1, 1, 1] });
  const peer = { ...caseOf({ system: 'peer', against: ceiling, seconds: [9, 9, 9] }), known: 0.5 };
  const { measured, voided } = await measureInTurn([ceiling, peer], { rounds: 2, log: () => undefined });
  assert.equal(voided.length, 3);
  assert.deepEqual(measured.get(peer), []);
});

test('ours is held against a peer by rates and by costs, round by round', async () => {
  const peer = caseOf({ system: 'peer', seconds: [2, 3] });
  const ours = caseOf({ system: 'ours', seconds: [1, 1] });
  const { measured } = await measureInTurn([peer, ours], { rounds: 2, log: () => undefined });
  const { rows } = pairTable([{ ours, peer }], measured);
  assert.deepEqual(rows, [['ours', 'work', 'peer', 'work', '2.50', '2.00 to 3.00', '1.00', '1.00', '1.00']]);
});
