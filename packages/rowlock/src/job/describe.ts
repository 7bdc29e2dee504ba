/** A refused value as an error message shows it: short, on one line, and never throwing. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(value);
  return describeObject(value);
}

function quote(full: string): string {
  const text = withoutCredentials(full);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** A URL anywhere in it may hold a password, before the @ or as a parameter, and messages go to logs. */
function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]{0,20}:\/\/).*(?:@|password=).*$/is, '$1…');
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'an array';
    const { constructor } = value;
    const name = typeof constructor === 'function' ? constructor.name : '';
    if (name === '' || name === 'Object') return 'an object';
    return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name.slice(0, 60)}`;
  } catch {
    return 'an object';
  }
}
