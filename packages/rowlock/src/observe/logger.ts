import { everyControl } from '../job/text.js';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** Where the library reports what no caller can be told. Any logger with these four methods fits. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

export interface LoggerOptions {
  /** Messages below it are dropped. @defaultValue 'warn' */
  readonly level?: LogLevel;
  /** Takes one line of JSON. @defaultValue writes to stderr */
  readonly write?: (line: string) => void;
  /** @defaultValue the clock of this process */
  readonly now?: () => Date;
}

/** One line of JSON per message, to stderr. */
export function stderrLogger(options: LoggerOptions = {}): Logger {
  const { level = 'warn', write = writeToStderr, now = () => new Date() } = options;
  const lowest = levels.indexOf(level);
  const at =
    (of: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (levels.indexOf(of) >= lowest)
        write(lineOf({ time: now().toISOString(), level: of, message }, fields));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

const ignore = (): void => undefined;

/** Says nothing. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** The same logger, which can disturb nobody by throwing. */
export function unfailing(logger: Logger): Logger {
  const guarded =
    (level: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      try {
        logger[level](message, fields);
      } catch {
        // There is nobody left to tell.
      }
    };
  return {
    debug: guarded('debug'),
    info: guarded('info'),
    warn: guarded('warn'),
    error: guarded('error'),
  };
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The own fields come first and win, so that no caller's field can pass for them. */
function lineOf(own: Record<string, string>, fields: LogFields): string {
  try {
    return clean(JSON.stringify({ ...own, ...fields, ...own }, plain));
  } catch {
    // A cycle or a getter that throws: the message is worth more than its fields.
    return clean(JSON.stringify({ ...own, fields: 'unreadable' }));
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (!(value instanceof Error)) return value;
  return {
    ...Object.fromEntries(Object.entries(value)),
    name: value.name,
    message: value.message,
    stack: value.stack,
    cause: value.cause,
  };
}

function clean(line: string): string {
  return line.replace(everyControl, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
