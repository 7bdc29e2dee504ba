const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The way to a value as it would be written in code: `args.items[3].price`, `args["a b"]`. */
export function pathText(root: string, keys: readonly PropertyKey[]): string {
  let text = root;
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (typeof key === 'symbol') text += `[${String(key)}]`;
    else text += identifier.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  }
  return text;
}
