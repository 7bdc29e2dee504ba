import type { WorkerConfig } from '../config/validate-worker.js';
import type { Executor } from '../db/executor.js';
import { LeaseLostError } from '../job/errors.js';
import type { Fact } from '../job/fact.js';
import { parked, released } from '../job/fact.js';
import { Maintenance } from '../maintenance/maintenance.js';
import type { Rescued } from '../maintenance/rescue.js';
import type { Logger } from '../observe/logger.js';
import type { Clock } from '../runtime/clock.js';
import type { LeaseKeeper } from '../wake/lease-keeper.js';
import type { Claim } from './claim.js';
import { Contact } from './contact.js';
import type { Report } from './cycle.js';
import type { Done } from './done.js';
import { Cycle } from './cycle.js';
import { Dispatcher } from './dispatcher.js';
import { Incarnation } from './incarnation.js';
import { Lanes } from './lanes.js';
import { LeaseWatch } from './lease-watch.js';
import { Ledger } from './ledger.js';
import { Parking } from './parking.js';
import type { PassAnswer } from './pass.js';
import { Pass } from './pass.js';
import type { Reading } from './server-clock.js';
import { ServerClock } from './server-clock.js';
import type { Ending } from './settler.js';
import { Settler } from './settler.js';
import { Slots } from './slots.js';
import { Waker } from './waker.js';

export interface EngineOptions {
  readonly config: WorkerConfig;
  readonly database: Executor;
  readonly keeper: LeaseKeeper;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A job claimed ahead that has not started within this time, in ms, goes back to its queue. */
const maxWaitingMs = 1000;

/** The parts of a worker, tied together: who tells whom what. Begins and ends nothing by itself; see Worker. */
export class Engine {
  readonly ledger: Ledger;
  readonly contact: Contact;
  readonly slots: readonly Slots[];
  readonly cycle: Cycle;
  readonly settler: Settler;
  readonly dispatcher: Dispatcher;
  readonly incarnation: Incarnation;
  readonly pass: Pass;
  readonly waker: Waker;
  readonly maintenance: Maintenance;
  readonly parking: Parking;
  readonly lease: LeaseWatch;
  /** No new claims: the worker is stopping. */
  closed = false;
  readonly #options: EngineOptions;
  readonly #lanes: Lanes;
  readonly #serverClock: ServerClock;
  readonly #unserved = new Set<string>();

  constructor(options: EngineOptions) {
    const { config, database, keeper, clock, logger } = options;
    this.#options = options;
    this.ledger = new Ledger(logger, clock);
    this.contact = new Contact(logger, (ok) => this.ledger.events.emit('contact', { ok }));
    const onError = (error: unknown): void => this.contact.failed(error);
    const queues = [...config.queues.keys()];
    const slots = slotsOf(config);
    const kinds = config.handlers.map(({ definition }) => definition);
    const serverClock = new ServerClock(clock);
    const lanes = new Lanes(queues.length);
    const parts = { database, clock, keeper, lanes, slots, onError };
    this.slots = slots;
    this.#lanes = lanes;
    this.#serverClock = serverClock;
    this.cycle = new Cycle({ ...parts, ...this.#cycleTells() });
    this.settler = new Settler({
      ...parts,
      onClaimEnded: (claim, fact, ending) => this.#claimEnded(claim, fact, ending),
    });
    this.dispatcher = new Dispatcher({ ...parts, ...this.#dispatcherTells() });
    this.waker = new Waker({ ...parts, ...this.#wakerTells(), serverClock, poll: config.poll });
    this.parking = new Parking({ ...parts, ...this.#parkingAsks() });
    this.pass = new Pass({
      ...parts,
      queues,
      kinds: kinds.map(({ kind }) => kind),
      everyMs: config.poll.floorEveryMs,
      onAnswer: (answer) => this.#passed(answer),
    });
    this.maintenance = new Maintenance({
      ...parts,
      leaseMs: config.leaseMs,
      workerId: () => this.incarnation.workerId,
      latestClock: () => serverClock.latest(),
      onRescued: (rescued) => this.#rescued(rescued),
    });
    this.incarnation = new Incarnation({
      ...parts,
      leaseMs: config.leaseMs,
      queues,
      kinds,
      held: () => this.ledger.held,
      claimsAnswered: () => this.cycle.claimsAnswered(),
      onRegistered: (id) => this.#registered(id),
    });
    this.lease = new LeaseWatch({ ...parts, onExpired: () => this.#leaseExpired() });
    this.#listen(keeper);
  }

  get waiting(): number {
    return this.slots.reduce((sum, slots) => sum + slots.waiting, 0);
  }

  /** Others may run these jobs now: what has not begun does not begin, what runs is told to end. */
  #leaseExpired(): void {
    this.giveBack(this.dispatcher.withdraw(Infinity));
    this.dispatcher.running.abortAll(new LeaseLostError('the lease could not be renewed in time'));
  }

  /** Gives back claims whose handlers have not begun. */
  giveBack(claims: readonly Claim[]): void {
    for (const claim of claims) this.settler.add(claim, released);
  }

  /** Gives back what is still running, for the sake of those who run it next; its late end counts no more. */
  abandon(): void {
    for (const { claim } of this.dispatcher.running) {
      if (this.ledger.held.delete(claim)) this.settler.add(claim, released);
    }
  }

  #cycleTells(): Omit<
    ConstructorParameters<typeof Cycle>[0],
    'database' | 'clock' | 'lanes' | 'slots' | 'onError'
  > {
    return {
      claimant: () => (this.closed || this.lease.expired ? null : this.incarnation.workerId),
      hasPeers: () => this.#options.keeper.peers.count > 1,
      parked: () => this.pass.parked,
      onReport: (report) => this.#report(report),
      onClaims: (claims, workerId) => this.#claimed(claims, workerId),
      onSettled: (claim) => this.ledger.completed(claim),
      onMissed: (done, doubt) => this.#missed(done, doubt),
      onUnknownClaim: (workerId) => this.incarnation.end(workerId, 'unknown claim'),
      onIdle: () => this.waker.idle(),
    };
  }

  #wakerTells(): Pick<ConstructorParameters<typeof Waker>[0], 'stir' | 'claimNamed'> {
    return {
      stir: () => this.cycle.stir(),
      claimNamed: (slots, named) => this.cycle.claimNamed(slots, named),
    };
  }

  #dispatcherTells(): Pick<
    ConstructorParameters<typeof Dispatcher>[0],
    'handlers' | 'mayRun' | 'onStart' | 'onAttemptEnded' | 'onUnserved'
  > {
    return {
      handlers: new Map(this.#options.config.handlers.map((handler) => [handler.definition.kind, handler])),
      mayRun: (kind) => !this.pass.pausedKinds.has(kind),
      onStart: (claim) => this.ledger.started(claim),
      onAttemptEnded: (claim, fact) => this.#attemptEnded(claim, fact),
      onUnserved: (claim) => this.#park(claim),
    };
  }

  #parkingAsks(): Pick<ConstructorParameters<typeof Parking>[0], 'floorsOf' | 'served'> {
    const { queues, handlers } = this.#options.config;
    const names = [...queues.keys()];
    const kinds = handlers.map(({ definition }) => definition.kind);
    return {
      floorsOf: (queue) => this.#lanes.floorsOf(names.indexOf(queue)),
      served: () => kinds.filter((kind) => !this.pass.pausedKinds.has(kind)),
    };
  }

  #listen(keeper: LeaseKeeper): void {
    // Each dial that fails is told; one line for an outage is enough.
    let isLost = false;
    keeper.on({
      ring: (ring) => this.waker.answer(ring),
      catchUp: () => this.waker.wakeAll(),
      dead: (workerId) => this.incarnation.end(workerId, 'lost'),
      renewed: () => {
        isLost = false;
        this.maintenance.renewed();
      },
      listening: () => this.waker.wakeAll(),
      connectionLost: (error) => {
        if (!isLost) this.#options.logger.warn('the lease connection was lost', { error: error.message });
        isLost = true;
      },
      blocked: (ms) => this.#options.logger.warn('a handler blocked the event loop', { ms: Math.round(ms) }),
    });
  }

  #registered(workerId: string): void {
    this.contact.answered();
    this.maintenance.renewed();
    this.ledger.events.emit('registered', { workerId });
    this.waker.wakeAll();
  }

  #report(report: Report): void {
    this.#read(report);
    if (report.dead !== null) this.incarnation.end(report.dead, 'lost');
  }

  /** Every answer shows the database's clock and server; when either is not what it was, all that was known is void. */
  #read(reading: Reading): void {
    this.contact.answered();
    const change = this.#serverClock.hear(reading);
    if (change === 'none') return;
    this.#options.logger.warn(`the database changed: ${change}`, {});
    this.maintenance.doubt();
    if (change === 'clock went forward') return;
    this.#lanes.reset();
    this.pass.reset();
    if (change === 'another server') this.incarnation.anotherServer();
  }

  #passed(answer: PassAnswer): void {
    this.#read(answer);
    if (answer.nextDue !== null) this.waker.dueAt(answer.nextDue);
    this.giveBack(this.dispatcher.withdraw(this.#options.clock.now() - maxWaitingMs));
    this.#lanes.lowerAllOnce();
    this.waker.wakeAll();
  }

  #claimed(claims: Claim[], workerId: string | null): void {
    this.ledger.held.add(claims);
    this.waker.found();
    // Of a worker id that was lost, rescue would take them from under us.
    if (this.closed || this.lease.expired || !this.incarnation.keeps(workerId)) this.giveBack(claims);
    else this.dispatcher.accept(claims);
  }

  #attemptEnded(claim: Claim, fact: Fact): void {
    if (!this.ledger.held.has(claim)) return;
    if (fact.outcome === 'completed') return this.cycle.complete({ claim, output: fact.output ?? null });
    if (fact.error !== undefined) this.ledger.counters.failed += 1;
    this.settler.add(claim, fact);
  }

  #missed(done: readonly Done[], doubt: boolean): void {
    if (doubt) this.ledger.counters.cutOff += 1;
    for (const { claim, output } of done) {
      this.settler.add(claim, output === null ? { outcome: 'completed' } : { outcome: 'completed', output }, {
        doubt,
      });
    }
  }

  #claimEnded(claim: Claim, fact: Fact, ending: Ending): void {
    this.ledger.ended(claim, fact, ending);
    if (ending.how === 'settled' && ending.runAt !== null && fact.outcome !== 'park')
      this.waker.dueAt(ending.runAt);
  }

  #park(claim: Claim): void {
    this.ledger.counters.parked += 1;
    this.settler.add(claim, parked);
    this.parking.park(claim.queue);
    if (this.pass.pausedKinds.has(claim.kind) || this.#unserved.has(claim.kind)) return;
    this.#unserved.add(claim.kind);
    this.#options.logger.warn('jobs of a kind without a handler here are left to other workers', {
      kind: claim.kind,
      queue: claim.queue,
    });
  }

  #rescued({ jobs, discarded }: Rescued): void {
    if (jobs === 0) return;
    this.ledger.counters.rescued += jobs;
    this.#options.logger.warn('jobs of lost workers were given back', { jobs, discarded });
    this.ledger.events.emit('rescued', { jobs, discarded });
  }
}

function slotsOf({ queues, prefetch }: WorkerConfig): Slots[] {
  return [...queues].map(
    ([queue, { concurrency }], index) => new Slots({ index, queue, concurrency, prefetch }),
  );
}
