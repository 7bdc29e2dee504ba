const loader = new URL('../../extras/load.mjs', import.meta.url).href;

/**
 * A module from `packages/bench/extras`, which is installed on first use. Its types are not there when this is compiled, so
 * whoever calls names the part of its interface that it uses.
 */
export async function loadExtra<T>(name: string): Promise<T> {
  const { load } = (await import(loader)) as { load: (name: string) => Promise<T> };
  return load(name);
}
