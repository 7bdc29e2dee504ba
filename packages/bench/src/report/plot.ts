import { loadExtra } from '../host/load-extra.js';

/** What is drawn of a lane. */
export interface Plot {
  /** Part of the name of the file. */
  readonly name: string;
  readonly title: string;
  /** Of the values. */
  readonly unit: string;
  /** Bars: one for each label; lines: the labels are numbers, in the unit of `along`. */
  readonly shape: 'bars' | 'lines';
  readonly along?: string;
  readonly labels: readonly (string | number)[];
  /** One value for each label; NaN where there is none. */
  readonly series: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** Values so far apart that only their size can be compared. */
  readonly logarithmic?: boolean;
}

interface Charts {
  readonly init: (
    element: null,
    theme: null,
    options: { renderer: 'svg'; ssr: true; width: number; height: number },
  ) => { setOption(option: object): void; renderToSVGString(): string; dispose(): void };
}

const width = 900;
const digits = 3;

export function plotFile(lane: string, { name }: Plot): string {
  return `bench-${lane}-${name}.svg`;
}

/** @returns an SVG; the same for the same values */
export async function drawPlot(plot: Plot): Promise<string> {
  const { init } = await loadExtra<Charts>('echarts');
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height: heightOf(plot) });
  chart.setOption(optionOf(plot));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

function heightOf({ shape, labels, series }: Plot): number {
  return shape === 'lines' ? 460 : 130 + labels.length * (14 + 18 * series.length);
}

/** What the library is told to draw. */
export function optionOf(plot: Plot): object {
  const { title, shape, series } = plot;
  const values = valueAxis(plot);
  const labels = labelAxis(plot);
  return {
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: title, left: 12, top: 8, textStyle: { fontSize: 15, fontWeight: 600 } },
    legend: { top: 34, left: 12, show: series.length > 1 },
    grid: { left: 12, right: 70, top: 74, bottom: 34, containLabel: true },
    ...(shape === 'bars' ? { xAxis: values, yAxis: labels } : { xAxis: labels, yAxis: values }),
    series: series.map((each) => seriesOf(plot, each)),
  };
}

function valueAxis({ unit, logarithmic = false }: Plot): object {
  return {
    type: logarithmic ? 'log' : 'value',
    name: unit,
    nameLocation: 'end',
    axisLabel: { hideOverlap: true },
  };
}

function labelAxis({ shape, labels, along }: Plot): object {
  return shape === 'bars'
    ? { type: 'category', data: labels, inverse: true, axisTick: { show: false } }
    : { type: 'value', name: along, min: 0, max: 'dataMax' };
}

function seriesOf({ shape, labels }: Plot, { name, values }: Plot['series'][number]): object {
  const finite = values.map((value) => (Number.isFinite(value) ? Number(value.toPrecision(digits)) : null));
  return shape === 'bars'
    ? { type: 'bar', name, data: finite, label: { show: true, position: 'right', formatter: labelOf } }
    : { type: 'line', name, data: finite.map((value, i) => [labels[i], value]), showSymbol: false };
}

function labelOf({ value }: { readonly value: number | null }): string {
  return value === null ? '' : value.toLocaleString('en-US');
}
