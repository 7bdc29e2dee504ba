import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandLine } from './command-line.js';
import { parseCommandLine, usage } from './command-line.js';
import { BenchServer, serverSettings } from './host/bench-server.js';
import { probeFlush } from './host/flush-probe.js';
import { describeMachine, describeVersions } from './host/machine.js';
import { installExtras, nodeSuitsPeers, runOnPeersNode } from './host/extras.js';
import { lanes } from './lanes/registry.js';
import { holds } from './report/bars.js';
import type { LaneReport } from './report/report.js';
import { drawPlot, plotFile } from './report/plot.js';
import { reportAsMarkdown, reportAsText } from './report/report.js';
import { peerNames, systemNamed } from './systems/registry.js';

const results = fileURLToPath(new URL('../../../docs/results/', import.meta.url));

function log(line: string): void {
  console.error(line);
}

async function measure(options: CommandLine): Promise<LaneReport> {
  const { lane, quick, rounds, seconds, perSecond, holders } = options;
  const found = lanes[lane];
  if (found === undefined) throw new Error(`no lane ${lane}`);
  const machine = describeMachine();
  const began = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const server = await BenchServer.start();
  try {
    const before = await probeFlush(server.folder);
    const versions = await describeVersions(server.admin);
    const against = options.against.map(systemNamed);
    const result = await found.measure({
      ...{ server, against, quick, rounds },
      ...{ seconds, perSecond, holders, log },
    });
    const after = await probeFlush(server.folder);
    const command = `npm run bench -- ${process.argv.slice(2).join(' ')}`;
    return {
      ...{ lane, command, began, quick, rounds, machine, versions },
      ...{ settings: serverSettings, flush: { before, after }, ...result },
    };
  } finally {
    await server.stop();
  }
}

async function main(options: CommandLine): Promise<void> {
  if (options.against.length > 0 || options.write) await installExtras(log);
  if (options.against.length > 0 && !nodeSuitsPeers()) {
    process.exitCode = await runOnPeersNode(fileURLToPath(import.meta.url), process.argv.slice(2));
    return;
  }
  const report = await measure(options);
  console.log(reportAsText(report));
  const json = `${JSON.stringify(report, null, 1)}\n`;
  if (options.json !== null) {
    await mkdir(dirname(options.json), { recursive: true });
    await writeFile(options.json, json);
  }
  if (options.write) {
    await mkdir(results, { recursive: true });
    await writeFile(join(results, `bench-${report.lane}.md`), reportAsMarkdown(report));
    await writeFile(join(results, `bench-${report.lane}.json`), json);
    for (const plot of report.plots)
      await writeFile(join(results, plotFile(report.lane, plot)), await drawPlot(plot));
  }
  if (!report.bars.every(holds)) process.exitCode = 1;
}

function readCommandLine(): CommandLine | null {
  try {
    return parseCommandLine(process.argv.slice(2), { lanes, peers: peerNames });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 2;
    return null;
  }
}

const options = readCommandLine();
if (options !== null) await main(options);
