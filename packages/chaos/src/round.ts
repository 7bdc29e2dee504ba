import type { EmbeddedServer } from '@rowlock/embedded';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rowlock } from 'rowlock';
import { schemaText } from './checker/check.js';
import type { Hit } from './checker/load-evidence.js';
import { Monitor } from './checker/monitor.js';
import { HarnessDatabase, withFreshDatabase } from './database.js';
import { Fleet } from './fleet/fleet.js';
import { judge } from './judge.js';
import type { Field, Nemesis } from './nemesis/nemesis.js';
import { Producers } from './producers/producers.js';
import { Proxy } from './proxy/proxy.js';
import { Random } from './random.js';
import type { RoundResult } from './round-result.js';
import { until, wait } from './wait.js';

export interface RoundOptions {
  readonly nemesis: Nemesis;
  readonly seed: number;
  readonly seconds: number;
  readonly outageMs: number;
}

export const leaseMs = 3000;
export const maxBlockedMs = 6000;
const fleetSize = 4;
const concurrency = 8;
const quietLimitMs = 60_000;

/** One nemesis against one fresh database, from the first job until every job has ended. */
export async function runRound(server: EmbeddedServer, options: RoundOptions): Promise<RoundResult> {
  const name = `chaos_${options.nemesis.name.replaceAll('-', '_')}_${options.seed}`;
  const folder = await mkdtemp(join(tmpdir(), 'rowlock-chaos-'));
  try {
    return await withFreshDatabase(server, name, (url) =>
      new Round(server, url, { ...options, folder }).run(),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Round {
  readonly #server: EmbeddedServer;
  readonly #url: string;
  readonly #options: RoundOptions & { readonly folder: string };
  readonly #database: HarnessDatabase;
  readonly #hits: Hit[] = [];

  constructor(server: EmbeddedServer, url: string, options: RoundOptions & { readonly folder: string }) {
    this.#server = server;
    this.#url = url;
    this.#options = options;
    this.#database = new HarnessDatabase(url);
  }

  async run(): Promise<RoundResult> {
    const { nemesis, folder } = this.#options;
    const proxies = nemesis.viaProxy
      ? await Promise.all(Array.from({ length: fleetSize }, () => Proxy.open(this.#url)))
      : [];
    const urls = Array.from({ length: fleetSize }, (_, place) => proxies[place]?.url ?? this.#url);
    const fleet = new Fleet({ urls, folder, leaseMs, maxBlockedMs, concurrency });
    try {
      await this.#prepare();
      await fleet.start();
      return await this.#strikeAndJudge(fleet, proxies);
    } finally {
      await fleet.stop();
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await this.#database.close();
    }
  }

  async #prepare(): Promise<void> {
    const rowlock = new Rowlock({ connectionString: this.#url });
    await rowlock.migrate();
    await rowlock.close();
    await this.#database.rows(schemaText());
  }

  async #strikeAndJudge(fleet: Fleet, proxies: readonly Proxy[]): Promise<RoundResult> {
    const monitor = new Monitor(this.#database);
    const over = new AbortController();
    const watching = monitor.watch(over.signal);
    const producers = new Producers({ url: this.#url, seed: this.#options.seed });
    try {
      await this.#strike(fleet, proxies);
    } finally {
      await producers.stop();
    }
    const calm = performance.now();
    await until(() => this.#isQuiet(), quietLimitMs);
    const quietAfterMs = Math.round(performance.now() - calm);
    // Health follows contact: what was cut off last may still be dialling.
    await until(() => fleet.unwell().length === 0, 3 * leaseMs);
    const unwell = fleet.unwell();
    over.abort();
    await watching;
    const overdue = await fleet.stop();
    const { nemesis, seed, seconds } = this.#options;
    const { tokens } = producers;
    return judge({
      database: this.#database,
      nemesis,
      seed,
      seconds,
      fleet,
      tokens,
      monitor,
      hits: this.#hits,
      leaseMs,
      quietAfterMs,
      unwell,
      overdue,
    });
  }

  async #strike(fleet: Fleet, proxies: readonly Proxy[]): Promise<void> {
    const { nemesis, seed, seconds, outageMs } = this.#options;
    const random = Random.for(seed, nemesis.name);
    const end = performance.now() + seconds * 1000;
    const signal = AbortSignal.timeout(seconds * 1000);
    const parts = { fleet, proxies, random, leaseMs, maxBlockedMs, outageMs, signal };
    const field: Field = { ...parts, server: this.#server, database: this.#database };
    // Nobody is taken for dead by a process that has not seen one lease pass.
    await wait(leaseMs, signal);
    for (let struck = false; !signal.aborted; struck = true) {
      await wait(random.between(...nemesis.restMs), signal);
      if (signal.aborted || (struck && performance.now() + nemesis.lastsMs(field) > end)) break;
      const { running } = fleet;
      for (const { what, pid = null, lostAt = Date.now() } of await nemesis.strike(field))
        this.#hits.push({ what, pid, lostAt, running });
    }
  }

  async #isQuiet(): Promise<boolean> {
    const rows = await this.#database
      .rows<{ live: boolean }>('select exists (select from rowlock.job) as live')
      .catch(() => []);
    return rows[0]?.live === false;
  }
}
