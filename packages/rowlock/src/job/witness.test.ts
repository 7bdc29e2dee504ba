import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RefuseUnlessJson } from './witness.js';
import { type } from './witness.js';

type IsJson<T> = RefuseUnlessJson<T> extends [] ? true : false;

interface Address {
  street: string;
  zip?: string;
}

class Money {
  cents = 5;
  add(): void {
    this.cents += 1;
  }
}

/** Compiles only where every entry is as stated. */
const json: [
  IsJson<string>,
  IsJson<null>,
  IsJson<{ userId: number; template: 'a' | 'b' }>,
  IsJson<Address>,
  IsJson<{ to: Address[]; tags: readonly string[]; pair: [number, string | null] }>,
  IsJson<Record<string, number | undefined>>,
  IsJson<{ note?: string | undefined }>,
  IsJson<{ kind: 'a'; a: number } | { kind: 'b' }>,
  IsJson<{ payload: unknown }>,
  IsJson<object[]>,
] = [true, true, true, true, true, true, true, true, true, true];

const notJson: [
  IsJson<{ at: Date }>,
  IsJson<Date>,
  IsJson<{ byId: Map<string, number> }>,
  IsJson<{ ids: Set<number> }>,
  IsJson<{ id: bigint }>,
  IsJson<bigint[]>,
  IsJson<{ run: () => void }>,
  IsJson<{ note: string | undefined }>,
  IsJson<undefined>,
  IsJson<(string | undefined)[]>,
  IsJson<{ price: Money }>,
  IsJson<{ bytes: Uint8Array }>,
  IsJson<{ tag: symbol }>,
  IsJson<{ deep: { list: { at?: Date }[] } }>,
] = [false, false, false, false, false, false, false, false, false, false, false, false, false, false];

test('a witness takes only types that JSON keeps', () => {
  assert.ok(json.every((entry) => entry));
  assert.ok(notJson.every((entry) => !entry));
});

test('a witness lets every value pass', () => {
  const { version, vendor, validate } = type<{ a: number }>()['~standard'];
  assert.equal(version, 1);
  assert.equal(vendor, 'rowlock');
  assert.deepEqual(validate({ a: 1 }), { value: { a: 1 } });
});
