import type { Backoff } from '../job/backoff.js';
import type { AbortReason } from '../job/errors.js';
import { hasCode } from '../job/errors.js';
import type { Fact } from '../job/fact.js';
import { factOf, factOfThrown, released } from '../job/fact.js';
import { errorRecord } from '../job/error-record.js';
import type { Handler, HandlerContext, JobInfo } from '../job/handler.js';
import { parseArgs } from '../job/parse-args.js';
import type { Policy } from '../job/policy.js';
import type { Claim } from './claim.js';

export type OnEnded = (attempt: Attempt, fact: Fact) => void;

/** One run of a handler, from parsed args to the fact that is settled. */
export class Attempt {
  readonly claim: Claim;
  readonly startedAt: number;
  readonly policy: Policy;
  readonly #handler: Handler;
  #controller: AbortController | undefined;
  #reason: AbortReason | undefined;

  constructor(claim: Claim, handler: Handler, startedAt: number) {
    this.claim = claim;
    this.startedAt = startedAt;
    this.#handler = handler;
    this.policy = policyOf(claim, handler);
  }

  /** When the handler has run too long, on the clock that gave `startedAt`. */
  get deadline(): number {
    return this.startedAt + this.policy.timeoutMs;
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get timedOut(): boolean {
    return this.#reason?.code === 'TIMEOUT';
  }

  abort(reason: AbortReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  /**
   * Runs the handler and tells its end once, whatever it does; at once if nothing of it is asynchronous. Callbacks and no
   * async function: it would cost each job two promises and its frame, which is most of what a job leaves to collect.
   */
  run(onEnded: OnEnded): void {
    let returned: unknown;
    try {
      const value: unknown = JSON.parse(this.claim.args);
      this.claim.args = '';
      const args = parseArgs(this.#handler.definition, value);
      returned =
        args instanceof Promise
          ? args.then((parsed: unknown) => this.#handler.run(new Context(this, parsed)))
          : this.#handler.run(new Context(this, args));
      // Any object or function may be a promise of some kind, and to look may throw.
      const mayBePromise =
        (typeof returned === 'object' && returned !== null) || typeof returned === 'function';
      if (mayBePromise)
        return void Promise.resolve(returned).then(
          (value: unknown) => onEnded(this, factOf(value)),
          (error: unknown) => onEnded(this, this.#factOfThrown(error)),
        );
    } catch (error) {
      return onEnded(this, this.#factOfThrown(error));
    }
    onEnded(this, factOf(returned));
  }

  #factOfThrown(error: unknown): Fact {
    // What was aborted for the worker's sake is given back unharmed.
    if (
      this.#reason !== undefined &&
      (this.#reason.code === 'SHUTDOWN' || this.#reason.code === 'LEASE_LOST')
    )
      return released;
    if (hasCode(error, 'ARGS_INVALID'))
      return { outcome: 'discard', reason: 'ARGS_INVALID', error: errorRecord(error) };
    return factOfThrown(error, this.claim.attempt, backoffOf(this.claim, this.#handler));
  }

  /** Made when the handler first asks: most never do, and an AbortController is dear. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }
}

class Context implements HandlerContext<unknown> {
  readonly args: unknown;
  readonly #attempt: Attempt;

  constructor(attempt: Attempt, args: unknown) {
    this.#attempt = attempt;
    this.args = args;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get job(): JobInfo {
    const { claim, policy } = this.#attempt;
    return {
      id: claim.id,
      kind: claim.kind,
      queue: claim.queue,
      priority: claim.priority,
      attempt: claim.attempt,
      maxAttempts: policy.maxAttempts,
      claimNo: claim.claimNo,
      idempotencyKey: `rowlock-${claim.id}`,
      runAt: new Date(claim.runAt / 1000),
    };
  }
}

/** A policy of the job's own may come from SQL callers: what is no number there leaves its kind's in force. */
function policyOf(claim: Claim, handler: Handler): Policy {
  const { policy } = handler.definition;
  if (claim.policy === null) return policy;
  const own = claim.policy as Partial<Policy>;
  const { maxAttempts, timeoutMs } = policy;
  return {
    ...policy,
    maxAttempts: positive(own.maxAttempts) ?? maxAttempts,
    timeoutMs: positive(own.timeoutMs) ?? timeoutMs,
  };
}

/** Undefined: the job has one of its own, which goes before that of its kind, and which the database knows. */
function backoffOf({ policy }: Claim, { definition }: Handler): Backoff | undefined {
  return (policy as Partial<Policy> | null)?.backoff === undefined ? definition.backoff : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
