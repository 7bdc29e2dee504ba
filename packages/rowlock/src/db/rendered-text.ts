import { renderSchema } from '../sql/render-schema.js';
import type { Statement } from '../sql/statement.js';

const rendered = new WeakMap<object, Map<string, string>>();

/** The text of the statement for the schema; rendered once, since hot statements ask at every call. */
export function renderedText<Params, Row>(statement: Statement<Params, Row>, schema: string): string {
  let texts = rendered.get(statement);
  if (texts === undefined) {
    texts = new Map();
    rendered.set(statement, texts);
  }
  let text = texts.get(schema);
  if (text === undefined) {
    text = renderSchema(statement.text, schema);
    texts.set(schema, text);
  }
  return text;
}
