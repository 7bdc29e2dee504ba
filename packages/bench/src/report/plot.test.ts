import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plot } from './plot.js';
import { optionOf, plotFile } from './plot.js';

const plot: Plot = {
  ...{ name: 'rates', title: 'Jobs a second', unit: 'jobs/s', shape: 'bars' },
  labels: ['ours', 'theirs'],
  series: [{ name: 'jobs/s', values: [12_345, NaN] }],
};

test('a plot is a file of its lane', () => {
  assert.equal(plotFile('drain', plot), 'bench-drain-rates.svg');
});

test('bars stand beside their labels, and what was not measured has none', () => {
  const { yAxis, series } = optionOf(plot) as {
    yAxis: { data: readonly string[] };
    series: readonly { type: string; data: readonly (number | null)[] }[];
  };
  assert.deepEqual(yAxis.data, ['ours', 'theirs']);
  assert.deepEqual(series[0]?.data, [12_300, null]);
});

test('lines go along numbers, by size if values are far apart', () => {
  const lines: Plot = { ...plot, shape: 'lines', along: 's', labels: [10, 20], logarithmic: true };
  const { xAxis, yAxis, series } = optionOf(lines) as {
    xAxis: { type: string };
    yAxis: { type: string };
    series: readonly { data: readonly unknown[] }[];
  };
  assert.deepEqual([xAxis.type, yAxis.type], ['value', 'log']);
  assert.deepEqual(series[0]?.data, [
    [10, 12_300],
    [20, null],
  ]);
});
