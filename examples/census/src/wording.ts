const english = new Intl.NumberFormat('en-US');

/** `12,345` */
export function grouped(count: number): string {
  return english.format(count);
}

/** `1 file`, `12,345 files` */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.2 MB`, in powers of 1000 */
export function sized(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`;
}

/** `3.4 s` */
export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** A path may hold anything, such as what moves the cursor of a terminal. */
export function printable(path: string): string {
  return path.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
