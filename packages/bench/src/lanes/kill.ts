import { withStore } from '../host/stores.js';
import type { Bar } from '../report/bars.js';
import type { Plot } from '../report/plot.js';
import { median } from '../report/statistics.js';
import type { Table } from '../report/table.js';
import { number } from '../report/table.js';
import { rowlock } from '../systems/rowlock.js';
import type { System } from '../systems/system.js';
import type { Aftermath, Blow } from './kill-run.js';
import { held, measureBlow } from './kill-run.js';
import type { LaneContext, LaneResult } from './lane.js';

interface Setting {
  readonly purpose: Blow['purpose'];
  readonly name: string;
  /** For how long the other worker is watched, in s; by default a loop that stands still is given up after two minutes. */
  readonly patience: Readonly<Record<Blow['fault'], number>>;
}

const byDefault: Setting = {
  purpose: 'latency',
  name: 'default',
  patience: { SIGKILL: 90, SIGSTOP: 90, 'blocked event loop': 150, 'backends terminated': 20 },
};
const soon: Setting = {
  purpose: 'rescue',
  name: 'as soon as it can',
  patience: { SIGKILL: 20, SIGSTOP: 20, 'blocked event loop': 20, 'backends terminated': 6 },
};

const faults: readonly Blow['fault'][] = ['SIGKILL', 'SIGSTOP', 'blocked event loop', 'backends terminated'];

/** Ours with a lease of 2 s: the lease, a pass of 1 s, and one second for this machine. */
const maxSeconds = 4;

interface Subject {
  readonly system: System;
  readonly setting: Setting;
  readonly fault: Blow['fault'];
  readonly runs: Aftermath[];
}

export async function killLane(context: LaneContext): Promise<LaneResult> {
  const { server, against, rounds, quick, log } = context;
  const settings = quick ? [soon] : [soon, byDefault];
  const subjects = [rowlock, ...against].flatMap((system) =>
    settings.flatMap((setting) =>
      faults
        .filter((fault) => system.store === 'postgres' || fault !== 'backends terminated')
        .map((fault): Subject => ({ system, setting, fault, runs: [] })),
    ),
  );
  for (let round = 1; round <= rounds; round += 1) {
    for (const { system, setting, fault, runs } of subjects) {
      const blow = { system, fault, purpose: setting.purpose, patienceMs: setting.patience[fault] * 1000 };
      const run = await withStore(server, system.store, (store) => measureBlow(store, blow));
      runs.push(run);
      log(
        `round ${round}/${rounds}  ${system.name}  ${setting.name}  ${fault}  ${run.seconds === null ? 'none' : number(run.seconds)} s`,
      );
    }
  }
  return {
    notes: [
      `A worker holds ${held} jobs and something happens to it; seconds until another worker, idle until then, has started all of them. A handler that is still running somewhere may then end twice: no queue can prevent that; what counts is stored once.`,
      'Backends terminated: of the first worker, once. It lives on, so nothing has to run again, and its handlers end.',
      ...[rowlock, ...against].flatMap((system) =>
        settings.map(({ purpose, name }) => `${system.name}, ${name}, was given: ${system.given(purpose)}.`),
      ),
      ...problemsOf(subjects),
    ],
    tables: [tableOf(subjects)],
    bars: barsOf(subjects.filter(({ system }) => system === rowlock)),
    plots: [plotOf(subjects)],
    measurements: subjects.map(({ system, setting, fault, runs }) => ({
      ...{ system: system.name, setting: setting.name, fault, runs },
    })),
  };
}

function problemsOf(subjects: readonly Subject[]): string[] {
  return subjects.flatMap(({ system, setting, fault, runs }) =>
    runs
      .flatMap(({ problems }) => problems)
      .map((problem) => `${system.name}, ${setting.name}, ${fault}: ${problem}.`),
  );
}

function tableOf(subjects: readonly Subject[]): Table {
  return {
    columns: ['system', 'settings', 'fault', 'seconds', 'highest', 'started again', 'ended twice'],
    rows: subjects.map(({ system, setting, fault, runs }) => [
      ...[system.name, setting.name, fault],
      ...secondsOf(runs, fault === 'backends terminated' ? null : setting.patience[fault]),
      number(median(runs.map(({ again }) => again))),
      number(median(runs.map(({ endedTwice }) => endedTwice))),
    ]),
  };
}

function plotOf(subjects: readonly Subject[]): Plot {
  const shown = subjects.filter(({ fault }) => fault !== 'backends terminated');
  const first = Math.max(...shown.flatMap(({ setting, fault }) => setting.patience[fault]));
  return {
    ...{
      name: 'seconds',
      title: `Until every job of a lost worker runs again (no bar: not within ${first} s)`,
    },
    ...{ unit: 's', shape: 'bars' },
    labels: shown.map(({ system, setting, fault }) => `${system.name}, ${setting.name}: ${fault}`),
    series: [
      { name: 's', values: shown.map(({ runs }) => median(runs.map(({ seconds }) => seconds ?? Infinity))) },
    ],
  };
}

function secondsOf(runs: readonly Aftermath[], patience: number | null): [string, string] {
  const cell = (seconds: number): string =>
    Number.isFinite(seconds) ? number(seconds) : patience === null ? '-' : `> ${patience}`;
  const all = runs.map(({ seconds }) => seconds ?? Infinity);
  return [cell(median(all)), cell(Math.max(...all))];
}

function barsOf(ours: readonly Subject[]): Bar[] {
  const lost = ours.filter(
    ({ setting, fault }) => setting === soon && (fault === 'SIGKILL' || fault === 'SIGSTOP'),
  );
  const cut = ours.filter(({ fault }) => fault === 'backends terminated');
  return [
    ...lost.map(({ fault, runs }) => ({
      name: `kill_${fault.toLowerCase()}_seconds`,
      value: median(runs.map(({ seconds }) => seconds ?? Infinity)),
      op: '<=' as const,
      target: maxSeconds,
    })),
    {
      name: 'kill_backends_terminated_started_again',
      value: Math.max(...cut.flatMap(({ runs }) => runs.map(({ again }) => again))),
      op: '<=',
      target: 0,
    },
    {
      name: 'kill_rows_wrong',
      value: ours.flatMap(({ runs }) => runs.flatMap(({ problems }) => problems)).length,
      op: '<=',
      target: 0,
    },
  ];
}
