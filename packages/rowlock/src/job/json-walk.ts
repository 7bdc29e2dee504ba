import { describeValue } from './describe.js';
import { PayloadInvalidError } from './errors.js';
import { pathText } from './path.js';
import { isStorable } from './text.js';

/** Deeper values are refused: PostgreSQL parses jsonb recursively, and a deep one is a mistake or an attack. */
const maxDepth = 500;
/** Smaller numbers have an exponent in JSON text. */
const minWithoutExponent = 1e-6;

export interface WalkOptions {
  readonly root: string;
  /** Whether text that PostgreSQL cannot store is refused; otherwise it is only reported. */
  readonly refuseText: boolean;
}

/** One pass over a value that is to become JSON: refuses whatever would not come back the same. */
export class JsonWalk {
  readonly #root: string;
  readonly #refuseText: boolean;
  readonly #keys: PropertyKey[] = [];
  readonly #ancestors: object[] = [];
  #depth = 0;
  #foundUnstorable = false;
  #growth = 0;

  constructor(options: WalkOptions) {
    this.#root = options.root;
    this.#refuseText = options.refuseText;
  }

  /** Characters that jsonb makes of the numbers beyond those of JSON text: it has no exponents. */
  get growth(): number {
    return this.#growth;
  }

  /** Whether all text is storable; throws `PayloadInvalidError` with the path of the first value that is refused. */
  run(value: unknown): boolean {
    try {
      this.#visit(value);
    } catch (error) {
      if (error instanceof PayloadInvalidError) throw error;
      throw new PayloadInvalidError(this.#path(), 'cannot be read: a getter or proxy threw', {
        cause: error,
      });
    }
    return !this.#foundUnstorable;
  }

  #visit(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#visitText(value, 'holds');
      case 'number':
        return this.#visitNumber(value);
      case 'boolean':
        return;
      case 'object':
        return value === null ? undefined : this.#visitObject(value);
      default:
        throw this.#refusal(problemOf(value));
    }
  }

  #visitText(text: string, verb: string): void {
    if (isStorable(text)) return;
    this.#foundUnstorable = true;
    if (!this.#refuseText) return;
    const what = text.includes('\0') ? 'a NUL character' : 'a lone surrogate';
    throw this.#refusal(`${verb} ${what}, which PostgreSQL cannot store: remove it or encode the text`);
  }

  #visitNumber(value: number): void {
    if (!Number.isFinite(value))
      throw this.#refusal(`is ${value}, which JSON does not have: use null or a string`);
    if (value === 0 && Object.is(value, -0)) throw this.#refusal('is -0, which JSON turns into 0: use 0');
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw this.#refusal(`is the integer ${value}, beyond 2^53 - 1 and so not exact: use a string`);
    }
    const size = Math.abs(value);
    if (size < minWithoutExponent && size > 0) this.#growth += Math.ceil(-Math.log10(size));
  }

  #visitObject(value: object): void {
    const depth = this.#depth;
    if (depth >= maxDepth) throw this.#refusal(`is nested deeper than ${maxDepth} levels: flatten it`);
    for (let level = 0; level < depth; level += 1) {
      if (this.#ancestors[level] === value)
        throw this.#refusal('refers to an object that contains it: break the cycle');
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') throw this.#refusal(instanceProblem(value));
    this.#ancestors[depth] = value;
    this.#depth = depth + 1;
    if (Array.isArray(value)) this.#visitElements(value, depth);
    else this.#visitProperties(value as Record<string, unknown>, depth);
    this.#depth = depth;
  }

  #visitElements(elements: readonly unknown[], depth: number): void {
    for (let index = 0; index < elements.length; index += 1) {
      this.#keys[depth] = index;
      const element = elements[index];
      if (element === undefined && !(index in elements)) {
        throw this.#refusal('is a hole in the array, which JSON turns into null: use null');
      }
      this.#visit(element);
    }
  }

  #visitProperties(value: Record<string, unknown>, depth: number): void {
    if (!isPlain(value)) throw this.#refusal(instanceProblem(value));
    for (const key of Object.keys(value)) {
      this.#keys[depth] = key;
      this.#visitText(key, 'has in its name');
      const property = value[key];
      // JSON leaves such a property out, as a reader of an optional one expects.
      if (property !== undefined) this.#visit(property);
    }
  }

  #path(): string {
    return pathText(this.#root, this.#keys.slice(0, this.#depth));
  }

  #refusal(problem: string): PayloadInvalidError {
    return new PayloadInvalidError(this.#path(), problem);
  }
}

/** Its prototype is null or the end of a chain: Object.prototype of any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function instanceProblem(value: object): string {
  if (value instanceof Date) return 'is a Date, which JSON turns into a string: use date.toISOString()';
  if (ArrayBuffer.isView(value)) return 'is binary data, which JSON does not have: use a base64 string';
  if (value instanceof Map || value instanceof Set) {
    return `is ${describeValue(value)}, which JSON turns into {}: use Object.fromEntries() or an array`;
  }
  return `is ${describeValue(value)}, not a plain object: give its fields as a plain object`;
}

function problemOf(value: unknown): string {
  if (typeof value === 'bigint') return `is the BigInt ${value}, which JSON does not have: use a string`;
  if (value === undefined)
    return 'is undefined, which JSON does not have: use null, or leave out what has no value';
  return `is ${describeValue(value)}, which JSON does not have: remove it`;
}
