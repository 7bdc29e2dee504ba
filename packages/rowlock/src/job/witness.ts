import type { StandardProperties, StandardSchemaV1 } from './standard-schema.js';

/**
 * `T` where JSON keeps it, `never` where it does not: Date, Map, bigint, functions, class instances with methods, and
 * undefined anywhere but in an optional property.
 */
export type JsonCompatible<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null
    ? T
    : T extends (...parameters: never[]) => unknown
      ? never
      : T extends readonly unknown[]
        ? { [Key in keyof T]: JsonCompatible<T[Key]> }
        : T extends object
          ? { [Key in keyof T]: JsonProperty<T, Key> }
          : never;

type JsonProperty<T, Key extends keyof T> = Key extends symbol
  ? never
  : { [Only in Key]?: T[Only] } extends Pick<T, Key>
    ? JsonCompatible<Exclude<T[Key], undefined>> | undefined
    : JsonCompatible<T[Key]>;

/** A type without a validator: the compiler checks it, run time does not. */
export type TypeWitness<T> = StandardSchemaV1<T, T>;

const passAll: StandardProperties<never, never> = {
  version: 1,
  vendor: 'rowlock',
  validate: (value) => ({ value: value as never }),
};

/** Makes the call of `type` a compile error, with this sentence, where the type is not JSON. */
export type RefuseUnlessJson<T> = [T] extends [JsonCompatible<T>]
  ? []
  : [
      refused: 'this type holds something that JSON does not keep, such as a Date, Map, bigint, function or undefined',
    ];

/** Declares the args or output of a kind by type alone: `type<{ userId: number }>()`. Its type must be JSON. */
export function type<T>(..._refused: RefuseUnlessJson<T>): TypeWitness<T> {
  return { '~standard': passAll };
}
