export type EncodedParam = string | number | boolean | null;

/** One `.sql` file of `statements/`: its text, and the codec that `tools/generate-sql.mjs` derives from its header. */
export interface Statement<Params, Row> {
  readonly name: string;
  /** Parsed and planned once a session that is wholly ours, and for any parameters; there is but one good plan. */
  readonly keepsPlan?: true;
  /** The schema is still written as `rowlock.`; see {@link renderSchema}. */
  readonly text: string;
  readonly encode: (params: Params) => EncodedParam[];
  readonly decode: (row: readonly (string | null)[]) => Row;
}

/** What the header of a statement promises beside its types; tests hold it against the transition table and the plans. */
export interface StatementContract {
  readonly name: string;
  readonly transitions: readonly string[];
  readonly index: string;
}

/** One `.sql` file of `migrations/`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, in hex: an applied migration that was edited later is refused by it. */
  readonly hash: string;
}
